// SPDX-License-Identifier: Apache-2.0

package import KeychainAuthenticators
import KeychainCore
import KeychainEngine

/// The owner of a virtual device: answers prompts as the test specifies, and records them.
///
/// The owner knows the passcode. Five consecutive failed recognitions lock out biometry until the passcode is entered.
public final class Owner: Sendable {
    /// The authenticator, for tests of details.
    package let authenticator: ScriptedAuthenticator

    /// The questions that wait for the test's answer.
    let openQuestions = OpenQuestions()

    /// The owner's input if the device has no passcode that the test knows.
    private let hiddenPasscode: String

    private let state = Guarded(State())

    private struct State {
        var answer = Answer.succeeds
        var nextAnswers: [Answer] = []
        var passcode: String?
        var failedRecognitions = 0
        var countsFailures = true
    }

    /// How the owner answers a prompt.
    public enum Answer: String, Sendable, Hashable, CaseIterable {
        /// Is recognized, and enters the right secret.
        case succeeds
        /// Is not recognized, and enters a wrong secret.
        case fails
        /// Cancels.
        case cancels
        /// Chooses the passcode instead of biometry, and enters the right one.
        case fallsBack
        /// Does not answer: the prompt times out immediately.
        case isAway
        /// Waits until the test answers on the owner's behalf (``Owner/nextOpenQuestion(within:)``).
        case waits
    }

    /// How many consecutive failed recognitions lock out biometry.
    public static let recognitionLimit = 5

    /// The application password that the owner enters.
    public static let applicationPassword = "application password"

    init(_ biometry: Biometry, hiddenPasscode: String) {
        self.hiddenPasscode = hiddenPasscode
        authenticator = ScriptedAuthenticator(biometry: biometry)
        authenticator.setAnswer { [weak self] prompt in self?.reply(to: prompt) ?? .unavailable }
    }

    /// How the owner answers from now on, after ``nextAnswers`` are used up.
    public var answer: Answer {
        get { state.withLock(\.answer) }
        set { state.withLock { $0.answer = newValue } }
    }

    /// How the owner answers the next prompts, one after the other.
    public var nextAnswers: [Answer] {
        get { state.withLock(\.nextAnswers) }
        set { state.withLock { $0.nextAnswers = newValue } }
    }

    /// Whether failed recognitions lock out biometry until the passcode is entered; `false` for a test that sets the
    /// state itself.
    package var countsFailedRecognitions: Bool {
        get { state.withLock(\.countsFailures) }
        set { state.withLock { $0.countsFailures = newValue } }
    }

    /// The prompts so far.
    public var questions: [Question] { authenticator.prompts.map(Question.init) }

    /// The passcode as the owner remembers it; `nil` for none.
    var passcode: String? {
        get { state.withLock(\.passcode) }
        set { state.withLock { $0.passcode = newValue } }
    }

    /// The passcode that the device accepts.
    var typedPasscode: String { passcode ?? hiddenPasscode }

    /// Handles an event of the device.
    func handle(_ event: DeviceEvent) {
        switch event {
        case .passcodeAccepted:
            if countsFailedRecognitions { endLockout() }
        case .erased:
            passcode = nil
            authenticator.biometry.enrolledSet = nil
            endLockout()
        case .storeVersionChanged: break
        }
    }

    /// Resets the count of failed recognitions.
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
            recordFailedRecognition()
            return .notRecognized
        case (.fallsBack, .biometry): return .fallback
        case (.fails, _): return .secret(Self.secret("not what was asked for"))
        case (_, .passcode): return .secret(Self.secret(typedPasscode))
        case (_, .applicationPassword), (_, .newApplicationPassword):
            return .secret(Self.secret(Self.applicationPassword))
        }
    }

    private func recordFailedRecognition() {
        let isTooMuch = state.withLock { state in
            state.failedRecognitions += 1
            return state.countsFailures && state.failedRecognitions >= Self.recognitionLimit
        }
        if isTooMuch { authenticator.biometry.isLockedOut = true }
    }

    private static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
}
