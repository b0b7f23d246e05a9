// SPDX-License-Identifier: Apache-2.0

/// Asks the owner of the device to authenticate with biometry before something is shown or done.
///
/// A gate returns a ``BiometricOutcome`` and throws nothing, so that an unexpected error cannot be mistaken for a pass:
/// only ``BiometricOutcome/passed`` is one.
///
/// - Important: A gate alone protects nothing. It is a question whose answer the program reads, and anyone who controls
///   the program controls the answer; the secret is accessible to all of the program's code before and after it. Bind a
///   secret with its item's access control instead: then the keychain prompts, and there is no secret without
///   authentication. A gate is for what is not secret: hiding a screen, confirming an order.
public protocol BiometricGate: Sendable {
    /// Prompts the user.
    ///
    /// - Parameter reason: Why, as shown to the user; not empty.
    /// - Returns: The outcome.
    func ask(reason: String) async -> BiometricOutcome

    /// Returns what prevents a prompt, as far as is known without one.
    ///
    /// - Returns: The outcome that a prompt would have; `nil` if a prompt is possible, which is not a pass.
    func obstacle() async -> BiometricOutcome?

    /// The currently enrolled faces and fingers, as a value to store and compare.
    ///
    /// - Returns: The enrolment; `nil` if it is unknown, such as while biometry is locked out or nothing is enrolled.
    func enrolment() async -> BiometricEnrolment?

    /// Whether the enrolled biometry changed since an enrolment was stored.
    ///
    /// - Parameter earlier: The result of ``enrolment()`` when the user set this up.
    /// - Returns: The comparison. A lockout is not a change: it is ``BiometricEnrolment/Change/unknown``.
    func change(since earlier: BiometricEnrolment) async -> BiometricEnrolment.Change
}

extension BiometricGate {
    /// Whether the enrolled biometry changed since an enrolment was stored; without an enrolment, the obstacle decides.
    ///
    /// - Parameter earlier: The result of ``enrolment()`` when the user set this up.
    /// - Returns: The comparison. A lockout is not a change: it is ``BiometricEnrolment/Change/unknown``.
    public func change(since earlier: BiometricEnrolment) async -> BiometricEnrolment.Change {
        if let enrolment = await enrolment() { return enrolment == earlier ? .none : .changed }
        return await obstacle() == .notEnrolled ? .changed : .unknown
    }
}
