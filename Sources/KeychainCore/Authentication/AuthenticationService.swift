// SPDX-License-Identifier: Apache-2.0

/// Asks the owner of a keychain's device to authenticate: what stands behind an `LAContext`.
///
/// Thread-safe. What evaluates blocks for as long as the person takes, and never longer than its prompt may.
public protocol AuthenticationService: Sendable {
    /// The biometry of the device.
    var biometry: Biometry { get }

    /// Why a policy cannot be evaluated now; `nil` when it can. Asks nobody.
    func obstacle(to policy: AuthenticationPolicy, _ context: AuthenticationContext) -> AuthenticationFailure?

    /// Asks for what a policy demands, unless the context has shown it already.
    func evaluate(
        _ policy: AuthenticationPolicy,
        reason: String,
        _ context: AuthenticationContext
    ) throws(AuthenticationFailure)

    /// Asks for what an access control demands, unless the context has shown it already.
    ///
    /// An access control without constraints is satisfied at once.
    func evaluate(
        _ accessControl: AccessControl,
        reason: String,
        _ context: AuthenticationContext
    ) throws(AuthenticationFailure)
}
