// SPDX-License-Identifier: Apache-2.0

/// What is known of a device without its passcode and its root key: what an erasure ends, and what a recovery needs.
package struct DeviceSummary: Sendable, Hashable {
    /// Whether there is a keychain.
    package var exists: Bool

    /// Whether a passcode is set; `nil` if that cannot be read.
    package var hasPasscode: Bool?

    /// When the recovery key was made that is valid now; `nil` if there is none.
    package var recoveryKeyDate: Timestamp?

    /// How many items there are, of every program; `nil` if they cannot be counted.
    package var itemCount: Int?

    /// Whether the root key can be used.
    package var hasRootKey: Bool

    /// What is said of a recovery key where a passcode is set or changed: another program may have left it.
    package static let adviceOnRecoveryKey = """
        it opens everything without the passcode. If it is not yours, replace it: keychainctl recovery-key create --replace
        """

    /// A summary; the default is that of a keychain that does not exist.
    package init(
        exists: Bool = false,
        hasPasscode: Bool? = nil,
        recoveryKeyDate: Timestamp? = nil,
        itemCount: Int? = nil,
        hasRootKey: Bool = false
    ) {
        self.exists = exists
        self.hasPasscode = hasPasscode
        self.recoveryKeyDate = recoveryKeyDate
        self.itemCount = itemCount
        self.hasRootKey = hasRootKey
    }
}
