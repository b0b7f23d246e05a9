// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A lock that opens with a password: that of the keychain, or of a keychain file.
package struct PasswordLock: Sendable {
    private let state: @Sendable () -> State
    private let unlock: @Sendable (SecretBytes) throws(KeychainError) -> Void
    private let problem: @Sendable (KeychainError) -> String?

    /// Whether it is open.
    package enum State: Sendable, Hashable {
        case open
        /// It is locked; with what a person has to know before the first password, if anything.
        case locked(problem: String?)
    }

    /// How often a person may type a password for one prompt.
    private static let maximumAttempts = 3

    /// A lock.
    ///
    /// - Parameters:
    ///   - state: whether it is open now.
    ///   - unlock: opens it with a password, or throws.
    ///   - problem: what a person is told of an error; `nil` for one after which no other password is asked for.
    package init(
        state: @escaping @Sendable () -> State,
        unlock: @escaping @Sendable (SecretBytes) throws(KeychainError) -> Void,
        problem: @escaping @Sendable (KeychainError) -> String?
    ) {
        self.state = state
        self.unlock = unlock
        self.problem = problem
    }

    /// Opens it with the password that a person types, who may correct a wrong one.
    ///
    /// - Parameter type: has the person type, who is told what was wrong before; `nil` if that was refused.
    /// - Returns: Whether it is open.
    package func open(_ type: (_ problem: String?) -> SecretBytes?) -> Bool {
        var problem: String?
        for _ in 0..<Self.maximumAttempts {
            // Another prompt, or another program, may have opened it meanwhile.
            guard case .locked(let before) = state() else { return true }
            guard let password = type(problem ?? before) else { return false }
            do throws(KeychainError) {
                try unlock(password)
                return true
            } catch {
                guard let next = self.problem(error) else { return false }
                problem = next
            }
        }
        return false
    }
}
