// SPDX-License-Identifier: Apache-2.0

import Keychain
import KeychainRecipes

/// Keeps the login in a keychain.
public struct LoginStore: Sendable {
    private let keychain: any KeychainProtocol
    private let installation: InstallationDetector
    private static let service = "com.example.login-token"
    private let item = GenericPassword(service: service)

    /// A store.
    ///
    /// - Parameters:
    ///   - keychain: the keychain.
    ///   - mark: what dies with the program when it is removed.
    public init(in keychain: any KeychainProtocol, mark: any InstallationMarkStore) {
        self.keychain = keychain
        installation = InstallationDetector(service: "\(Self.service).installation", in: keychain, marks: mark)
    }

    /// Deletes a login that an earlier installation left, and marks this one.
    ///
    /// To be called at each start. A locked keychain is no reason to delete anything, nor not to start.
    ///
    /// - Throws: `InstallationError`
    public func tidyUp() throws(InstallationError) {
        switch try installation.detect() {
        case .reinstalled:
            try installation.deleteLeftovers(matching: .all(ofService: Self.service))
            try installation.mark()
        case .fresh, .restored: try installation.mark()
        case .known, .undetermined: break
        }
    }

    /// Keeps a login in place of the one before.
    ///
    /// - Throws: `KeychainItemError`; the one before is there still.
    public func save(_ login: Login) throws(KeychainItemError) {
        // For a program that runs while nobody is there. The token is this machine's: it does not go into a backup.
        try keychain.set(login, for: item, protection: .accessible(.afterFirstUnlockThisDeviceOnly))
    }

    /// Reads the login.
    ///
    /// - Returns: The login; `nil` only if nobody is logged in.
    /// - Throws: `KeychainItemError`
    public func login() throws(KeychainItemError) -> Login? { try keychain.value(Login.self, for: item) }

    /// Deletes the login.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `KeychainItemError`
    public func remove() throws(KeychainItemError) -> Bool { try keychain.delete(item) }
}
