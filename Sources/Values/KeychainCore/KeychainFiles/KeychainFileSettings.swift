// SPDX-License-Identifier: Apache-2.0

/// When a file-based keychain locks automatically (`SecKeychainSettings`).
package struct KeychainFileSettings: Sendable, Hashable {
    /// Whether it locks when the host goes to sleep.
    package var locksOnSleep: Bool

    /// After how many seconds without use it locks; `nil` for never.
    package var lockInterval: Int?

    /// Settings; the default is that of a new keychain: it locks on sleep, and after 300 seconds.
    package init(locksOnSleep: Bool = true, lockInterval: Int? = 300) {
        self.locksOnSleep = locksOnSleep
        self.lockInterval = lockInterval
    }
}

/// What people see of a file-based keychain, as available without its password.
package struct KeychainFileDetails: Sendable, Hashable {
    /// Whether it is locked.
    package var isLocked: Bool

    /// What people see as its name; `nil` for the name of the file.
    package var label: String?

    /// When it was created; `nil` if that is damaged.
    package var created: Timestamp?

    /// When it was last changed.
    package var modified: Timestamp

    /// Details.
    package init(isLocked: Bool, label: String?, created: Timestamp?, modified: Timestamp) {
        self.isLocked = isLocked
        self.label = label
        self.created = created
        self.modified = modified
    }
}

/// The status of a file-based keychain, as available without its password.
package struct KeychainFileStatus: Sendable, Hashable {
    /// Whether it is locked.
    package var isLocked: Bool

    /// When it locks automatically.
    package var settings: KeychainFileSettings

    /// A status.
    package init(isLocked: Bool, settings: KeychainFileSettings) {
        self.isLocked = isLocked
        self.settings = settings
    }
}
