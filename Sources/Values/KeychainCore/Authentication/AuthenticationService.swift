// SPDX-License-Identifier: Apache-2.0

/// Prompts the owner of a keychain's device to authenticate: the implementation of an `LAContext`.
///
/// It sends commands, and has no state except for their destination. Thread-safe. Evaluation blocks until the user
/// responds, at most for the timeout of the prompt.
package struct AuthenticationService: Sendable {
    /// Performs the commands.
    package typealias Perform = @Sendable (KeychainCommand.Authentication) throws(KeychainError) -> KeychainReply

    private let perform: Perform

    /// The service that commands reach through a closure.
    package init(_ perform: @escaping Perform) { self.perform = perform }

    /// The biometry of the device; none if the keychain is unreachable.
    package var biometry: Biometry {
        guard case .biometry(let biometry)? = try? perform(.biometry) else { return .none }
        return biometry
    }

    /// Why a policy cannot be evaluated now; `nil` when it can.
    ///
    /// Never prompts.
    package func obstacle(
        to policy: AuthenticationPolicy,
        _ context: AuthenticationContext
    ) -> AuthenticationFailure? {
        do throws(AuthenticationFailure) {
            try run(.check(policy, context))
            return nil
        } catch {
            return error
        }
    }

    /// Asks for what a policy demands, unless the context has shown it already.
    package func evaluate(
        _ policy: AuthenticationPolicy,
        reason: String,
        _ context: AuthenticationContext
    ) throws(AuthenticationFailure) {
        try run(.evaluate(.policy(policy), reason: reason, context))
    }

    /// Prompts for what an access control requires, unless it was shown in the context already.
    ///
    /// An access control without constraints is satisfied at once.
    package func evaluate(
        _ accessControl: AccessControl,
        reason: String,
        _ context: AuthenticationContext
    ) throws(AuthenticationFailure) {
        try run(.evaluate(.accessControl(accessControl), reason: reason, context))
    }

    /// The state of a context in the keychain; empty if it is unreachable.
    package func status(of context: Bytes16) -> AuthenticationContext.Status {
        guard case .context(let status)? = try? perform(.status(of: context)) else { return .init() }
        return status
    }

    /// Makes the keychain forget the application password of a context, whether typed or set.
    package func forgetPassword(of context: Bytes16) { _ = try? perform(.forgetPassword(of: context)) }

    /// Ends the questions that are open in a context, and its use.
    package func invalidate(_ context: Bytes16) { _ = try? perform(.invalidate(context)) }

    /// Has the keychain forget a context that will not be named again.
    package func release(_ context: Bytes16) { _ = try? perform(.release(context)) }

    private func run(_ command: KeychainCommand.Authentication) throws(AuthenticationFailure) {
        do throws(KeychainError) {
            _ = try perform(command)
        } catch {
            // An unreachable keychain is treated as one that cannot prompt.
            guard case .authentication(let failure) = error.kind else { throw .notInteractive }
            throw failure
        }
    }
}
