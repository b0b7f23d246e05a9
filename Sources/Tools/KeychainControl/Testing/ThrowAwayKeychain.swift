// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost

/// A folder for one test run, with its keychain in it.
struct ThrowAwayKeychain {
    private let folder: URL

    /// Makes an empty folder that only this user may look into.
    init() throws(Refusal) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("keychainctl-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch { throw Refusal("no folder for the keychain of the run: \(error.localizedDescription)") }
    }

    /// Where the keychain is to be.
    var path: String { folder.appendingPathComponent("keychain").path }

    /// Where the program's entitlements can be kept.
    var entitlementsPath: String { folder.appendingPathComponent("program.entitlements").path }

    /// Sets a passcode that nobody knows, and holds an unlock ready for the tests.
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
