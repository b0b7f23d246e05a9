// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// Asks the user for the password of a keychain file that is locked.
package struct KeychainUnlocker: Sendable {
    let interaction: UserInteraction
    private let authenticator: (any Authenticator)?

    /// How often a wrong password may be tried.
    private static let maximumAttempts = 3

    /// What asks the user.
    ///
    /// - Parameters:
    ///   - authenticator: shows the prompt; without one there is none, and every locked keychain is `errSecAuthFailed`.
    ///   - interaction: whether the user may be asked.
    package init(_ authenticator: (any Authenticator)? = nil, interaction: UserInteraction = UserInteraction()) {
        self.authenticator = authenticator
        self.interaction = interaction
    }

    /// Nobody may be asked.
    static let nobody: KeychainUnlocker = {
        let unlocker = KeychainUnlocker()
        unlocker.interaction.isAllowed = false
        return unlocker
    }()

    /// Unlocks a keychain with the password that the user types.
    ///
    /// - Parameters:
    ///   - path: the keychain.
    ///   - files: the keychain files.
    ///   - locked: the failure that showed that it is locked.
    /// - Throws: `errSecInteractionNotAllowed` when nobody can be asked, `errSecUserCanceled`, `errSecAuthFailed`.
    func unlock(_ path: String, _ files: KeychainFileService, after locked: KeychainError) throws(KeychainError) {
        guard interaction.isAllowed else { throw locked }
        var problem: String?
        for _ in 0..<Self.maximumAttempts {
            guard let authenticator else { break }
            let prompt = AuthenticationPrompt(
                .passcode,
                reason: "unlock the keychain \(path)",
                label: "Password of the keychain",
                problem: problem
            )
            switch authenticator.ask(prompt) {
            case .secret(let password):
                do throws(KeychainError) {
                    return try files.unlock(at: path, password: password)
                } catch {
                    guard error.status == .authenticationFailed else { throw error }
                    problem = "The password was wrong."
                }
            case .cancelled: throw KeychainError(.userCanceled, "the user did not unlock the keychain")
            case .recognized, .notRecognized, .fallback, .ended, .unavailable: throw locked
            }
        }
        throw KeychainError(
            .authenticationFailed,
            "the keychain is locked; unlock it with SecKeychainUnlock or 'security unlock-keychain'",
            kind: locked.kind,
            facts: locked.facts
        )
    }
}
