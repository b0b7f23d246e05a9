// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import KeychainHost

/// The events that a socket is waited for, and those that it is ready for.
package struct SocketReadiness: OptionSet, Sendable, Hashable {
    /// The bits, as CKeychainSockets.h has them.
    package let rawValue: Int32

    /// A set of bits.
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// It is readable.
    package static let readable = SocketReadiness(rawValue: Int32(KEYCHAIN_READABLE))
    /// It is writable.
    package static let writable = SocketReadiness(rawValue: Int32(KEYCHAIN_WRITABLE))
    /// The other side has closed the connection; always reported.
    package static let ended = SocketReadiness(rawValue: Int32(KEYCHAIN_ENDED))

    /// Blocks until a socket is ready, up to a timeout in milliseconds.
    ///
    /// - Returns: The events it is ready for; empty after the timeout or a signal.
    package static func wait(for wanted: SocketReadiness, of socket: Int32, milliseconds: Int32) -> SocketReadiness {
        let ready = keychain_wait(socket, wanted.rawValue, milliseconds)
        // A descriptor that cannot be waited for is over.
        return ready < 0 ? .ended : SocketReadiness(rawValue: ready)
    }

    /// Blocks until a socket is ready, or a deadline is over.
    ///
    /// - Returns: What it is ready for; empty after the deadline.
    package static func wait(
        for wanted: SocketReadiness,
        of socket: Int32,
        until deadline: Deadline
    ) -> SocketReadiness {
        while true {
            let ready = wait(for: wanted, of: socket, milliseconds: deadline.waitMilliseconds)
            if !ready.isEmpty || deadline.isOver { return ready }
        }
    }
}
