// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc

extension SocketLocation {
    /// Whether a process listens.
    package var answers: Bool {
        let descriptor = keychain_open_private_socket()
        guard descriptor >= 0 else { return false }
        defer { keychain_close_private(descriptor) }
        let failure = try? withShortPath { keychain_connect(descriptor, $0) }
        // The backlog is full.
        return failure == 0 || failure == EAGAIN
    }
}
