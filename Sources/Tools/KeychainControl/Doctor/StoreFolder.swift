// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainHost

/// A keychain that is named by the folder that it lies in.
enum StoreFolder {
    /// The keychain of a folder, which nobody is asked for.
    ///
    /// - Throws: ``KeychainError`` where there is none, or where it belongs to somebody else: nothing is made, and
    ///   nobody's keychain but one's own is read.
    static func keychain(_ path: String) throws(KeychainError) -> EmbeddedKeychain {
        let location = KeychainLocation(path: URL(fileURLWithPath: path).standardizedFileURL.path)
        let keychain = EmbeddedKeychain(at: location, device: DeviceOptions(authenticator: NoAuthenticator()))
        guard try keychain.exists() else {
            throw KeychainError(.notAvailable, "there is no keychain in that folder", kind: .unavailable)
        }
        return keychain
    }
}
