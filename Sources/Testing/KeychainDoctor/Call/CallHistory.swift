// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The events of a keychain before a call, in order.
package struct CallHistory: Sendable {
    /// The events, the oldest first; the histories of the calls of one trace share them.
    package var events: ArraySlice<Event>

    /// A history of these events.
    package init(_ events: ArraySlice<Event> = []) { self.events = events }

    /// A history of these events.
    package init(_ events: [Event]) { self.events = events[...] }

    /// One thing that happened.
    package enum Event: Sendable {
        /// A call of an item function.
        case call(RecordedCall)
        /// A client got another list of access groups.
        case groups(client: String, [String])
        /// The passcode was removed.
        case passcodeRemoved
        /// The store went to a new device by a backup.
        case restored
        /// A program was removed and installed again.
        case reinstalled(client: String)
    }

    /// A call of an item function that was written down.
    package struct RecordedCall: Sendable {
        /// The request and the client's groups, without secrets.
        package let request: KeychainRequest
        /// The attributes that its only dictionary, or its query, names; `nil` without a class.
        let named: NamedAttributes?
        /// The name of the client.
        package var client: String
        /// The returned status.
        package var status: Status
        /// The time of the call, in the notation of the trace.
        package var time: String?

        /// A call and its answer.
        package init(_ request: KeychainRequest, client: String, status: Status, time: String? = nil) {
            self.request = request
            named = NamedAttributes(ExaminedCall(request).query)
            self.client = client
            self.status = status
            self.time = time
        }

        /// The call as one that can be examined.
        var examined: ExaminedCall {
            var call = ExaminedCall(request)
            call.clientName = client
            return call
        }
    }

    /// The calls, the oldest first, each with its place among the events.
    var calls: [(index: Int, call: RecordedCall)] {
        zip(events.indices, events).compactMap { index, event in
            if case .call(let call) = event { (index, call) } else { nil }
        }
    }

    /// The list of access groups that a client had before its present one; `nil` when it never had another.
    func earlierGroups(of client: String, than present: [String]) -> [String]? {
        var lists: [[String]] = []
        for event in events {
            switch event {
            case .groups(client, let groups): lists.append(groups)
            case .call(let call) where call.client == client: lists.append(call.request.client.accessGroups)
            default: break
            }
        }
        return lists.last { $0 != present }
    }
}

extension ExaminedCall {
    /// The calls of the history in which the same client searched for items of a class, the last one first, each
    /// dictionary once.
    package func earlierLookUps(_ itemClass: ItemClass) -> [CallHistory.RecordedCall] {
        var seen: Set<KeychainRequest> = []
        return (history?.calls ?? []).reversed().map(\.call).filter { recorded in
            guard recorded.client == clientName, recorded.examined.function != .add,
                NamedAttributes(recorded.examined.query)?.itemClass == itemClass
            else { return false }
            return seen.insert(recorded.request).inserted
        }
    }
}
