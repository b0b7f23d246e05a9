// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

/// A keychain as its owner looks after it.
protocol ControlledKeychain: Sendable {
    /// Its device.
    var device: any KeychainDevice { get }

    /// Checks the passcode, and holds an unlock ready for the programs that this one starts.
    ///
    /// - Returns: `nil` when the device has no passcode, so that there is nothing to unlock.
    func offerUnlock(passcode: SecretBytes) throws(KeychainError) -> UnlockOffer?

    /// Writes a backup.
    func createBackup(at path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport

    /// Makes the keychain from a backup, where there is none yet.
    func restoreBackup(from path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport
}
