// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainAuthenticators
import KeychainCore
import KeychainEngine

/// The keychain of the user who runs this process.
struct UserKeychain: ControlledKeychain {
    private let place: Result<(location: KeychainLocation, keychain: EmbeddedKeychain), KeychainError>

    /// The keychain that the environment names; nothing is read or made before the first call.
    init() {
        do throws(FileError) {
            let location = try KeychainLocation(environment: ProcessEnvironment.path)
            place = .success((location, EmbeddedKeychain(at: location)))
        } catch {
            place = .failure(KeychainError(.notAvailable, "\(error)", cause: error))
        }
    }

    var device: any KeychainDevice {
        switch place {
        case .success(let place): place.keychain.device
        case .failure(let error): UnavailableKeychain(reason: error.reason, cause: error.cause ?? error)
        }
    }

    func offerUnlock(passcode: SecretBytes) throws(KeychainError) -> UnlockOffer? {
        try place.get().keychain.offerUnlock(passcode: passcode)
    }

    func createBackup(at path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport {
        try place.get().keychain.createBackup(at: path, secret: secret)
    }

    func restoreBackup(from path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport {
        try EmbeddedKeychain.restoreBackup(from: path, secret: secret, to: place.get().location)
    }
}

extension Surroundings {
    /// The user's keychain, and the terminal.
    static let process = Surroundings(keychain: UserKeychain(), authenticator: ProcessAuthenticator())
}
