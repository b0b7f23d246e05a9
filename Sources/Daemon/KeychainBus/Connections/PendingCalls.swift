// SPDX-License-Identifier: Apache-2.0

/// The calls that wait for a reply: only who was called may reply, and only once.
package struct PendingCalls {
    /// A connection by its number.
    package typealias Connection = UInt64

    /// A call that waits for a reply, or gets none any more.
    package struct Call: Sendable, Hashable {
        /// Who called.
        package let caller: Connection
        /// The number of the call.
        package let serial: UInt32
    }

    /// The answer to a call.
    package enum Start: Sendable, Hashable {
        case begun
        /// There is such a call already.
        case repeated
        /// The caller has too many.
        case tooMany
    }

    private let maximum: Int
    private var calleesByCaller: [Connection: [UInt32: Connection]] = [:]

    /// None yet.
    ///
    /// - Parameter maximum: how many calls of a connection may wait.
    package init(atMost maximum: Int) { self.maximum = maximum }

    /// Begins to wait.
    package mutating func begin(_ call: Call, to callee: Connection) -> Start {
        guard calleesByCaller[call.caller]?[call.serial] == nil else { return .repeated }
        guard calleesByCaller[call.caller]?.count ?? 0 < maximum else { return .tooMany }
        calleesByCaller[call.caller, default: [:]][call.serial] = callee
        return .begun
    }

    /// Ends the waiting for a reply of the one who was called; `false` if nobody waits for that.
    package mutating func end(_ call: Call, by callee: Connection) -> Bool {
        guard calleesByCaller[call.caller]?[call.serial] == callee else { return false }
        calleesByCaller[call.caller]?[call.serial] = nil
        return true
    }

    /// Removes a connection that has ended.
    ///
    /// - Returns: The calls of others that it did not answer.
    package mutating func remove(_ connection: Connection) -> [Call] {
        calleesByCaller[connection] = nil
        var unanswered: [Call] = []
        for (caller, callees) in calleesByCaller {
            for (serial, callee) in callees where callee == connection {
                unanswered.append(Call(caller: caller, serial: serial))
                calleesByCaller[caller]?[serial] = nil
            }
        }
        return unanswered
    }
}
