// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainHost

/// A keychain that is named by its folder.
enum StoreFolder {
    /// The keychain in a folder; it never prompts the user.
    ///
    /// - Throws: ``KeychainError`` if there is none, or if it belongs to another user: nothing is created, and only the
    ///   caller's own keychain is read.
    static func keychain(_ path: String) throws(KeychainError) -> EmbeddedKeychain {
        let location = KeychainLocation(path: URL(fileURLWithPath: path).standardizedFileURL.path)
        let keychain = EmbeddedKeychain(at: location, device: DeviceOptions(authenticator: NoAuthenticator()))
        guard try keychain.exists() else {
            throw KeychainError(.notAvailable, "there is no keychain in that folder", kind: .unavailable)
        }
        return keychain
    }
}
