// SPDX-License-Identifier: Apache-2.0

/// Asks the owner of a keychain's device to authenticate: what stands behind an `LAContext`.
///
/// A way to write commands; it holds nothing but where they go. Thread-safe. What evaluates blocks for as long as the
/// person takes, and never longer than its prompt may.
package struct AuthenticationService: Sendable {
    /// What carries out the commands.
    package typealias Perform = @Sendable (KeychainCommand.Authentication) throws(KeychainError) -> KeychainReply

    private let perform: Perform

    /// The service that commands reach through a closure.
    package init(_ perform: @escaping Perform) { self.perform = perform }

    /// The biometry of the device; none where the keychain cannot be reached.
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

    /// Asks for what an access control demands, unless the context has shown it already.
    ///
    /// An access control without constraints is satisfied at once.
    package func evaluate(
        _ accessControl: AccessControl,
        reason: String,
        _ context: AuthenticationContext
    ) throws(AuthenticationFailure) {
        try run(.evaluate(.accessControl(accessControl), reason: reason, context))
    }

    /// What the keychain knows of a context; nothing where it cannot be reached.
    package func status(of context: Bytes16) -> AuthenticationContext.Status {
        guard case .context(let status)? = try? perform(.status(of: context)) else { return .init() }
        return status
    }

    /// Has the keychain forget the application password of a context, one that was typed as well as one that was given.
    package func forgetPassword(of context: Bytes16) { _ = try? perform(.forgetPassword(of: context)) }

    /// Ends the questions that are open in a context, and its use.
    package func invalidate(_ context: Bytes16) { _ = try? perform(.invalidate(context)) }

    /// Has the keychain forget a context that will not be named again.
    package func release(_ context: Bytes16) { _ = try? perform(.release(context)) }

    private func run(_ command: KeychainCommand.Authentication) throws(AuthenticationFailure) {
        do throws(KeychainError) {
            _ = try perform(command)
        } catch {
            // A keychain that cannot be reached is one that has no way to ask.
            guard case .authentication(let failure) = error.kind else { throw .notInteractive }
            throw failure
        }
    }
}
