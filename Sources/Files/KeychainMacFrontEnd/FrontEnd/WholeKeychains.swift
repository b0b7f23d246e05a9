// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// Operations on whole keychains, files and the data protection keychain where it is the login keychain: for `security`
/// and the functions on keychains.
///
/// Thread-safe. Every function throws a ``KeychainError``.
package struct WholeKeychains: Sendable {
    private let preferences: KeychainPreferences
    private let files: KeychainFileService
    private let device: KeychainDevice
    private let unlocksForAll: @Sendable () -> Bool

    /// Creates the operations for the keychains of a user.
    ///
    /// - Parameters:
    ///   - preferences: the search list and the default keychain.
    ///   - files: the keychain files.
    ///   - device: the device of the data protection keychain.
    ///   - unlocksForAll: whether an unlock of the data protection keychain outlives this program, because a service
    ///     owns it.
    package init(
        _ preferences: KeychainPreferences,
        files: KeychainFileService,
        device: KeychainDevice,
        unlocksForAll: @escaping @Sendable () -> Bool
    ) {
        self.preferences = preferences
        self.files = files
        self.device = device
        self.unlocksForAll = unlocksForAll
    }

    /// Whether a keychain is locked, and when it locks automatically; known without the password, as for a file.
    ///
    /// A device without a passcode is never locked. A service that keeps it unlocked for all programs locks it before
    /// the system sleeps.
    package func status(_ keychain: SearchedKeychain) throws(KeychainError) -> KeychainFileStatus {
        guard keychain == .dataProtection else { return try files.status(at: path(keychain)) }
        let status = try device.status()
        return KeychainFileStatus(
            isLocked: status.isLocked,
            settings: KeychainFileSettings(
                locksOnSleep: status.hasPasscode && unlocksForAll(),
                lockInterval: status.policy.autoLockAfterSeconds
            )
        )
    }

    /// Sets when a keychain locks automatically; for the data protection keychain only the time.
    package func setSettings(
        _ settings: KeychainFileSettings,
        of keychain: SearchedKeychain
    ) throws(KeychainError) {
        guard keychain == .dataProtection else { return try files.setSettings(settings, at: path(keychain)) }
        var policy = try device.status().policy
        policy.autoLockAfterSeconds = settings.lockInterval
        try device.setPolicy(policy)
    }

    /// Locks a keychain for every program.
    ///
    /// Every keychain of macOS has a password: the data protection keychain without a passcode is not one of them.
    ///
    /// - Parameters:
    ///   - keychain: the keychain.
    ///   - isNamed: whether it was named, rather than the default one.
    /// - Throws: `errSecNoSuchKeychain` or `errSecNoDefaultKeychain` without a passcode.
    package func lock(_ keychain: SearchedKeychain, isNamed: Bool) throws(KeychainError) {
        guard keychain == .dataProtection else { return try files.lock(at: path(keychain)) }
        do throws(KeychainError) {
            try device.lock()
        } catch {
            guard error.kind == .device(.noPasscode) else { throw error }
            throw isNamed ? .noSuchKeychain : .noDefaultKeychain
        }
    }

    /// Locks every keychain file, listed or not, and the data protection keychain if it is searched.
    package func lockAll() throws(KeychainError) {
        let searched = try preferences.searched()
        do throws(KeychainError) {
            try files.lockAll()
        } catch {
            // If no daemon serves keychain files, or it is unavailable, none is unlocked.
            guard [.notAvailable, .unimplemented].contains(error.status), searched == [.dataProtection] else {
                throw error
            }
        }
        guard searched.contains(.dataProtection) else { return }
        do throws(KeychainError) {
            try device.lock()
        } catch {
            guard error.kind == .device(.noPasscode) else { throw error }
        }
    }

    /// Unlocks a keychain; the data protection keychain without a passcode accepts any password.
    ///
    /// - Returns: Whether the unlock ends with this program, because no service owns the keychain.
    /// - Throws: `errSecAuthFailed` for a wrong password.
    package func unlock(_ keychain: SearchedKeychain, password: SecretBytes) throws(KeychainError) -> Bool {
        guard keychain == .dataProtection else {
            try files.unlock(at: path(keychain), password: password)
            return false
        }
        do throws(KeychainError) {
            guard try device.status().hasPasscode else { return false }
            try device.unlock(passcode: password)
        } catch {
            guard case .device(.wrongPasscode) = error.kind else { throw error }
            throw KeychainError(.authenticationFailed, error.reason, kind: error.kind)
        }
        return !unlocksForAll()
    }

    private func path(_ keychain: SearchedKeychain) throws(KeychainError) -> String {
        guard case .file(let path) = keychain else { throw .noSuchKeychain }
        return path
    }
}
