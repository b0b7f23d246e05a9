// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc

/// The process that connected, as the kernel knows it: it cannot say anything else about itself.
final class BusPeer: Sendable {
    /// The number of the process; 0 if it is not visible here.
    let process: Int32
    /// The user as whom it connected.
    let user: UInt32
    /// A descriptor of the process that connected, also if another one has its number now; -1 if the kernel has none,
    /// such as before Linux 6.5.
    let descriptor: Int32

    /// The process at the other end of a socket; `nil` if the kernel does not say.
    init?(of socket: Int32) {
        var (process, user, group) = (pid_t(0), uid_t(0), gid_t(0))
        guard keychain_peer_credentials(socket, &process, &user, &group) == 0 else { return nil }
        var isExact: Int32 = 0
        let opened = process > 0 ? keychain_peer_open(socket, process, &isExact) : -1
        // Otherwise it is that of the process which has the number now.
        descriptor = isExact != 0 ? opened : -1
        if descriptor < 0, opened >= 0 { close(opened) }
        (self.process, self.user) = (process, user)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
