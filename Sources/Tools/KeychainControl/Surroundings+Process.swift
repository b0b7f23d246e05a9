// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainMacFrontEnd
import KeychainRouting

extension Surroundings {
    /// The keychain that the environment names, and the terminal; nothing is read or created before the first call.
    static let process: Surroundings = {
        do throws(KeychainError) {
            // An import makes several changes at once.
            let parts = try ProcessKeychain.parts(
                authenticator: NoAuthenticator(),
                makesChangesTogether: true
            ) { change in
                StandardError.write("keychainctl: \(change.text)")
            }
            let keychain = RoutedKeychain(parts)
            var surroundings = Surroundings(
                keychain: keychain,
                offerUnlock: { (passcode) throws(KeychainError) in
                    guard keychain.owner != .embedded else { return try parts.embedded.offerUnlock(passcode: passcode) }
                    // The daemon unlocks for all programs, including the one that is started.
                    try keychain.device.unlock(passcode: passcode)
                    return nil
                },
                authenticator: ProcessAuthenticator()
            )
            surroundings.linkedRootKey = { parts.embedded.linkedRootKey }
            surroundings.replaceablePart = { parts.embedded.replaceablePart }
            surroundings.unlocksForAll = { keychain.unlocksForAll }
            surroundings.isInSystemService = { keychain.owner == .system }
            surroundings.searchList = {
                let preferences = UserKeychainFiles.process.preferences
                // The login keychain has no file unless one was made: its items are those of the keychain.
                return ((try? preferences.searchList()) ?? []).filter { preferences.place(of: $0) != .dataProtection }
            }
            surroundings.service = {
                KeychainService(parts, manager: UserManager.current(output: ProgramOutput.probe))
            }
            return surroundings
        } catch {
            var surroundings = Surroundings(
                keychain: UnavailableKeychain(error),
                offerUnlock: { (_) throws(KeychainError) in throw error },
                authenticator: ProcessAuthenticator()
            )
            surroundings.service = { () throws(Refusal) in throw Refusal(error) }
            return surroundings
        }
    }()
}
