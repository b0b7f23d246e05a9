// SPDX-License-Identifier: Apache-2.0

/// Asks the owner of the device to be recognized, before something is shown or done.
///
/// A gate answers with a ``BiometricOutcome`` and throws nothing, so that an unexpected error cannot be mistaken for
/// a pass: only ``BiometricOutcome/passed`` is one.
///
/// - Important: A gate alone protects nothing. It is a question whose answer the program reads, and whoever controls
///   the program controls the answer; the secret lies open to all of the program's code before and after it. Bind a
///   secret by its item's access control instead: then the keychain asks, and there is no secret without the answer. A
///   gate is for what is no secret: hiding a screen, confirming an order.
public protocol BiometricGate: Sendable {
    /// Asks.
    ///
    /// - Parameter reason: Why, as shown to the user; not empty.
    /// - Returns: What came of it.
    func ask(reason: String) async -> BiometricOutcome

    /// What prevents a prompt, as far as can be told without one.
    ///
    /// - Returns: The outcome that asking would have; `nil` if a prompt is possible, which is no pass.
    func obstacle() async -> BiometricOutcome?

    /// The faces and fingers that are enrolled now, as a value to keep and to compare with.
    ///
    /// - Returns: The enrolment; `nil` when it cannot be said, such as while biometry is locked out or nothing is
    ///   enrolled.
    func enrolment() async -> BiometricEnrolment?

    /// Whether the enrolled biometry changed since an enrolment was stored.
    ///
    /// - Parameter earlier: What ``enrolment()`` gave when the user set this up.
    /// - Returns: The comparison. A lockout is not a change: it is ``BiometricEnrolment/Change/unknown``.
    func change(since earlier: BiometricEnrolment) async -> BiometricEnrolment.Change
}

extension BiometricGate {
    /// Whether the enrolled biometry changed since an enrolment was stored, as the obstacle says where there is no
    /// enrolment.
    ///
    /// - Parameter earlier: What ``enrolment()`` gave when the user set this up.
    /// - Returns: The comparison. A lockout is not a change: it is ``BiometricEnrolment/Change/unknown``.
    public func change(since earlier: BiometricEnrolment) async -> BiometricEnrolment.Change {
        if let enrolment = await enrolment() { return enrolment == earlier ? .none : .changed }
        return await obstacle() == .notEnrolled ? .changed : .unknown
    }
}
