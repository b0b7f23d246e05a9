// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainAuthenticators
import KeychainCore
import KeychainEngine

extension Surroundings {
    /// The keychain that the environment names, and the terminal; nothing is read or made before the first call.
    static let process: Surroundings = {
        do throws(KeychainError) {
            let keychain = try ProcessKeychain.embedded(authenticator: NoAuthenticator())
            return Surroundings(
                keychain: keychain,
                offerUnlock: { (passcode) throws(KeychainError) in try keychain.offerUnlock(passcode: passcode) },
                authenticator: ProcessAuthenticator()
            )
        } catch {
            return Surroundings(
                keychain: UnavailableKeychain(error),
                offerUnlock: { (_) throws(KeychainError) in throw error },
                authenticator: ProcessAuthenticator()
            )
        }
    }()
}
