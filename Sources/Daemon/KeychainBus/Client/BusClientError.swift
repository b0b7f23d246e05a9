// SPDX-License-Identifier: Apache-2.0

/// Why a call on a bus failed.
package enum BusClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no bus, or it does not let the program in; the reason in words.
    case unreachable(String)
    /// The call was refused, by the name of an error.
    case refused(String)
    /// The bus ended the connection.
    case ended
    /// There was no answer in time.
    case late
    /// The answer is none to that call.
    case unexpected

    /// In words, without what a service says itself.
    package var description: String {
        switch self {
        case .unreachable(let reason): "there is no message bus: \(reason)"
        case .refused(let name): "the service answers \(name)"
        case .ended: "the message bus has ended the connection"
        case .late: "the service does not answer"
        case .unexpected: "the service answers something else than it was asked"
        }
    }
}
