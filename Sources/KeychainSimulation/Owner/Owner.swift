// SPDX-License-Identifier: Apache-2.0

package import KeychainAuthenticators
import KeychainCore
import KeychainEngine

/// Who owns a virtual device: answers as a test says when the device asks, and remembers what was asked.
///
/// The owner knows the passcode. Five fingers or faces in a row that are not recognized lock the sensor out, until the
/// passcode is given.
public final class Owner: Sendable {
    /// What asks the owner, for tests that look closer.
    package let authenticator: ScriptedAuthenticator

    /// The questions that wait for the test to answer.
    let openQuestions = OpenQuestions()

    /// What is typed for a passcode where the device has none that a test knows of.
    private let hiddenPasscode: String

    private let state = Guarded(State())

    private struct State {
        var answer = Answer.succeeds
        var nextAnswers: [Answer] = []
        var passcode: String?
        var failedRecognitions = 0
        var countsFailures = true
    }

    /// What the owner does when asked.
    public enum Answer: String, Sendable, Hashable, CaseIterable {
        /// Is recognized, and types what is right.
        case succeeds
        /// Is not recognized, and types what is wrong.
        case fails
        /// Cancels.
        case cancels
        /// Wants to type the passcode instead of being recognized; types what is right.
        case fallsBack
        /// Is not there: the question's time runs out at once.
        case isAway
        /// Says nothing until the test answers in the owner's place (``Owner/nextOpenQuestion()``).
        case waits
    }

    /// How many tries in a row may fail before the sensor is locked out.
    public static let recognitionLimit = 5

    /// The password that the owner types for an application.
    public static let applicationPassword = "application password"

    init(_ biometry: Biometry, hiddenPasscode: String) {
        self.hiddenPasscode = hiddenPasscode
        authenticator = ScriptedAuthenticator(biometry: biometry)
        authenticator.setAnswer { [weak self] prompt in self?.reply(to: prompt) ?? .unavailable }
    }

    /// What the owner does from now on, when nothing else is said by ``nextAnswers``.
    public var answer: Answer {
        get { state.withLock(\.answer) }
        set { state.withLock { $0.answer = newValue } }
    }

    /// What the owner does at the next questions, one after the other.
    public var nextAnswers: [Answer] {
        get { state.withLock(\.nextAnswers) }
        set { state.withLock { $0.nextAnswers = newValue } }
    }

    /// Whether failed tries lock the sensor out and a passcode ends that; not for a test that sets the sensor's state
    /// itself.
    package var countsFailedRecognitions: Bool {
        get { state.withLock(\.countsFailures) }
        set { state.withLock { $0.countsFailures = newValue } }
    }

    /// What was asked so far.
    public var questions: [Question] { authenticator.prompts.map(Question.init) }

    /// The passcode as the owner remembers it; `nil` for none.
    var passcode: String? {
        get { state.withLock(\.passcode) }
        set { state.withLock { $0.passcode = newValue } }
    }

    /// What the device itself takes for its passcode.
    var typedPasscode: String { passcode ?? hiddenPasscode }

    /// Takes note of what happened to the device.
    func note(_ event: DeviceEvent) {
        switch event {
        case .passcodeAccepted:
            if countsFailedRecognitions { endLockout() }
        case .erased:
            passcode = nil
            authenticator.biometry.enrolledSet = nil
            endLockout()
        }
    }

    /// Begins to count failed recognitions anew.
    func endLockout() {
        state.withLock { $0.failedRecognitions = 0 }
        authenticator.biometry.isLockedOut = false
    }

    private func reply(to prompt: AuthenticationPrompt) -> AuthenticationReply {
        let next = state.withLock { state in
            state.nextAnswers.isEmpty ? state.answer : state.nextAnswers.removeFirst()
        }
        guard next == .waits else { return reply(next, to: prompt) }
        guard let answer = openQuestions.answer(to: prompt) else { return .ended }
        return reply(answer, to: prompt)
    }

    private func reply(_ answer: Answer, to prompt: AuthenticationPrompt) -> AuthenticationReply {
        switch (answer, prompt.kind) {
        case (.cancels, _): return .cancelled
        case (.isAway, _), (.waits, _): return .ended
        case (.succeeds, .biometry):
            state.withLock { $0.failedRecognitions = 0 }
            return .recognized
        case (.fails, .biometry):
            noteFailedRecognition()
            return .notRecognized
        case (.fallsBack, .biometry): return .fallback
        case (.fails, _): return .secret(Self.secret("not what was asked for"))
        case (_, .passcode): return .secret(Self.secret(typedPasscode))
        case (_, .applicationPassword), (_, .newApplicationPassword):
            return .secret(Self.secret(Self.applicationPassword))
        }
    }

    private func noteFailedRecognition() {
        let isTooMuch = state.withLock { state in
            state.failedRecognitions += 1
            return state.countsFailures && state.failedRecognitions >= Self.recognitionLimit
        }
        if isTooMuch { authenticator.biometry.isLockedOut = true }
    }

    private static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
}
