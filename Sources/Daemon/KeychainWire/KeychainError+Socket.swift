// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

extension KeychainError {
    /// A folder or socket of the daemon that cannot be used.
    package init(socket error: FileError) {
        self.init(
            .notAvailable,
            "the keychain daemon cannot be reached: \(error)",
            kind: .unavailable,
            facts: error.facts
        )
    }

    /// A call of the system that failed.
    package init(call: String, errno: Int32) {
        self.init(
            .notAvailable,
            "\(call) failed: \(String(cString: strerror(errno)))",
            kind: .unavailable,
            facts: ["call": call, "errno": "\(errno)"]
        )
    }
}
