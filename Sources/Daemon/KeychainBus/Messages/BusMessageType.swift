// SPDX-License-Identifier: Apache-2.0

/// The kind of a message.
package enum BusMessageType: UInt8, Sendable, Hashable {
    /// A call of a method.
    case methodCall = 1
    /// The reply to a call.
    case methodReturn = 2
    /// The failure of a call.
    case error = 3
    /// A signal.
    case signal = 4
}
