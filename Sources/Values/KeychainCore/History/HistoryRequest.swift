// SPDX-License-Identifier: Apache-2.0

/// A command for former values of items, which are kept where the user asks for it.
package struct HistoryRequest: Sendable, Hashable {
    /// The operation.
    package var operation: Operation

    /// The client: items of other groups are absent.
    package var client: Client

    /// The authentication context of the program, if any.
    package var context: AuthenticationContext?

    /// A request.
    package init(_ operation: Operation, client: Client, context: AuthenticationContext? = nil) {
        self.operation = operation
        self.client = client
        self.context = context
    }

    /// An item.
    package struct Subject: Sendable, Hashable {
        /// Its class.
        package var itemClass: ItemClass
        /// Its identifier.
        package var identifier: ItemIdentifier

        /// An item.
        package init(_ itemClass: ItemClass, _ identifier: ItemIdentifier) {
            self.itemClass = itemClass
            self.identifier = identifier
        }
    }

    /// The operations; the reply is ``KeychainReply/done`` unless another one is specified.
    package enum Operation: Sendable, Hashable {
        /// What is known of the former values of an item; the reply is a ``KeychainReply/history(_:)``.
        case values(of: Subject)
        /// A former value; the reply is a ``KeychainReply/secret(_:)``.
        case secret(of: Subject, Bytes16)
        /// Gives an item a former value again, as a change of its own.
        case restore(Subject, Bytes16)
        /// Sets how many former values of an item are kept; `nil` for the number for all items.
        case keep(Int?, of: Subject)
        /// Removes the former values of an item.
        case clear(Subject)
        /// How many former values are kept of items that have no number of their own; the reply is a
        /// ``KeychainReply/count(_:)``.
        case numberForAll
        /// Sets that number; 0 also removes the former values of all items, and the numbers of their own.
        case keepForAll(Int)
        /// Removes the former values of all items.
        case clearAll
    }

    /// The call of an item function that needs the same permissions.
    package var authorizedCall: KeychainRequest {
        let call: KeychainRequest.Operation =
            operation.changesNothing ? .copyMatching([:]) : .update([:], attributes: [:])
        return KeychainRequest(call, client: client)
    }

    /// Refuses numbers that are not possible.
    ///
    /// - Throws: `errSecParam`.
    package func checkSizes() throws(KeychainError) {
        switch operation {
        case .keep(let number?, of: _), .keepForAll(let number):
            guard (0...ItemHistory.maximumCount).contains(number) else {
                throw .parameter("between 0 and \(ItemHistory.maximumCount) former values are kept of an item")
            }
        case .values, .secret, .restore, .keep(nil, of: _), .clear, .numberForAll, .clearAll: break
        }
    }
}

extension HistoryRequest.Operation {
    /// Whether it changes nothing.
    package var changesNothing: Bool {
        switch self {
        case .values, .secret, .numberForAll: true
        case .restore, .keep, .clear, .keepForAll, .clearAll: false
        }
    }

    /// The item that it is about; `nil` for all items.
    package var subject: HistoryRequest.Subject? {
        switch self {
        case .values(let subject), .secret(let subject, _), .restore(let subject, _), .keep(_, let subject),
            .clear(let subject):
            subject
        case .numberForAll, .keepForAll, .clearAll: nil
        }
    }
}
