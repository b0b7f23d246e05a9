// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore
import KeychainEngine
import KeychainHost

/// A temporary folder for one test run, with its keychain.
struct ThrowAwayKeychain {
    private let folder: URL

    /// Creates an empty folder that only this user can access.
    init() throws(Refusal) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("keychainctl-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch { throw Refusal("no folder for the keychain of the run: \(FailureText.of(error))") }
    }

    /// The path for the keychain.
    var path: String { folder.appendingPathComponent("keychain").path }

    /// The path for the program's entitlements.
    var entitlementsPath: String { folder.appendingPathComponent("program.entitlements").path }

    /// Sets a random passcode, and prepares an unlock for the tests.
    func setPasscode() throws(Refusal) -> UnlockOffer? {
        let passcode = SecretBytes(Array(UUID().uuidString.utf8))
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: path))
        return try refusing { () throws(KeychainError) in
            try keychain.device.setPasscode(passcode)
            return try keychain.offerUnlock(passcode: passcode)
        }
    }

    /// Removes the folder and the keychain.
    func remove() { try? FileManager.default.removeItem(at: folder) }
}
