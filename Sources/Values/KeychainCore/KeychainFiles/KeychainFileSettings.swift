// SPDX-License-Identifier: Apache-2.0

/// When a file-based keychain locks by itself (`SecKeychainSettings`).
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

/// What is known of a file-based keychain without its password.
package struct KeychainFileStatus: Sendable, Hashable {
    /// Whether it is locked.
    package var isLocked: Bool

    /// When it locks by itself.
    package var settings: KeychainFileSettings

    /// A status.
    package init(isLocked: Bool, settings: KeychainFileSettings) {
        self.isLocked = isLocked
        self.settings = settings
    }
}
