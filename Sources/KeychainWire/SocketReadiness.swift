// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport

/// What a socket is waited for, and what it is ready for.
public struct SocketReadiness: OptionSet, Sendable, Hashable {
    /// The bits, as CKeychainSockets.h has them.
    public let rawValue: Int32

    /// A set of bits.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Something has arrived.
    public static let readable = SocketReadiness(rawValue: Int32(KEYCHAIN_READABLE))
    /// Something can be sent.
    public static let writable = SocketReadiness(rawValue: Int32(KEYCHAIN_WRITABLE))
    /// The other side has ended the connection; reported whether it is waited for or not.
    public static let ended = SocketReadiness(rawValue: Int32(KEYCHAIN_ENDED))

    /// Blocks until a socket is ready, for so many milliseconds at most.
    ///
    /// - Returns: What it is ready for; nothing when the time was over, or a signal came first.
    public static func wait(for wanted: SocketReadiness, of socket: Int32, milliseconds: Int32) -> SocketReadiness {
        let ready = keychain_wait(socket, wanted.rawValue, milliseconds)
        // A descriptor that cannot be waited for is over.
        return ready < 0 ? .ended : SocketReadiness(rawValue: ready)
    }
}
