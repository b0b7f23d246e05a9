// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainEngine

/// What a table of owners cannot say about an evaluation.
struct EvaluatorTests {
    private static let right = AuthenticationReply.secret(SecretBytes(Array(EvaluationBench.passcode.utf8)))
    private static let wrong = AuthenticationReply.secret(SecretBytes([1]))
    private static let finger = Biometry(.touchID, enrolledSet: EvaluationBench.storedSet)

    @Test("a context that was invalidated answers so, to everything")
    func invalidContext() {
        let bench = EvaluationBench(biometry: Self.finger) { _ in Self.right }
        let free = EvaluationBench.accessControl([])
        bench.context.record(.passcode)
        bench.context.invalidate()
        #expect(bench.failure(.deviceOwner) == .invalidContext)
        #expect(bench.evaluator.obstacle(to: .deviceOwner, bench.context) == .invalidContext)
        #expect(bench.failure(free) == .invalidContext)
        #expect(bench.failure(EvaluationBench.accessControl(.applicationPassword)) == .invalidContext)
        #expect(!bench.evaluator.isSatisfied(free, by: bench.context))
        #expect(bench.questions.isEmpty)
    }

    @Test("a wrong passcode is asked for again, and the person is told")
    func secondTry() throws {
        let device = FakeDevice(passcode: EvaluationBench.passcode)
        let bench = EvaluationBench(device: device.device) { $0.problem == nil ? Self.wrong : Self.right }
        #expect(bench.failure(.deviceOwner) == nil)
        #expect(bench.authenticator.prompts.map(\.problem) == [nil, "The passcode is wrong."])
        #expect(bench.context.shown == [.passcode])
        #expect(device.attempts == 2)
        #expect(try device.device.status().lockState == .unlocked)
    }

    @Test("a question has the words of its context and its evaluation")
    func words() {
        let bench = EvaluationBench { _ in Self.right }
        bench.context.settings.localizedCancelTitle = "No"
        bench.context.settings.localizedFallbackTitle = "Type"
        #expect(bench.failure(.deviceOwner) == nil)
        let prompt = bench.authenticator.prompts.first
        #expect(prompt?.reason == "a test")
        #expect(prompt?.cancelTitle == "No" && prompt?.fallbackTitle == "Type")
        #expect(prompt?.timeoutSeconds == AuthenticationPrompt.defaultTimeoutSeconds)
    }

    @Test(
        "a device's refusals end an evaluation after one question",
        arguments: [
            (KeychainError(DeviceError.attemptTooSoon(secondsUntilNextAttempt: 9)), .authenticationFailed),
            (
                KeychainError(DeviceError.wrongPasscode(failedAttempts: 5, secondsUntilNextAttempt: 9)),
                .authenticationFailed
            ),
            (KeychainError(DeviceError.erased), .authenticationFailed),
            (KeychainError(DeviceError.noPasscode), .passcodeNotSet),
            (KeychainError(DeviceError.locked), .systemCancel),
            (KeychainError(.diskFull, "a store that fails"), .systemCancel),
        ] as [(KeychainError, AuthenticationFailure)]
    )
    func refusals(error: KeychainError, failure: AuthenticationFailure) {
        let device = KeychainDevice.answering { () throws(KeychainError) in throw error }
        let bench = EvaluationBench(device: device) { _ in Self.right }
        #expect(bench.failure(.deviceOwner) == failure)
        #expect(bench.questions == [.passcode])
        #expect(bench.context.shown.isEmpty)
    }

    @Test("an empty passcode is wrong like another")
    func emptyPasscode() {
        let device = KeychainDevice.answering { () throws(KeychainError) in
            throw KeychainError(DeviceError.emptyPasscode)
        }
        let bench = EvaluationBench(device: device) { _ in .secret(SecretBytes()) }
        #expect(bench.failure(.deviceOwner) == .authenticationFailed)
        #expect(bench.questions == [.passcode, .passcode, .passcode])
    }

    @Test("a device that cannot say whether it has a passcode ends everything, and nobody is asked")
    func brokenDevice() {
        let device = KeychainDevice.answering(
            hasPasscode: { () throws(KeychainError) in throw KeychainError(.diskFull, "a store that fails") },
            unlock: { () throws(KeychainError) in }
        )
        let bench = EvaluationBench(device: device, biometry: Self.finger) { _ in .recognized }
        #expect(bench.failure(.biometrics) == .systemCancel)
        #expect(bench.evaluator.obstacle(to: .deviceOwner, bench.context) == .systemCancel)
        #expect(bench.questions.isEmpty)
    }

    @Test("a passcode that was removed while it was typed is not shown")
    func removedPasscode() {
        let isUnlocked = Flag()
        let device = KeychainDevice.answering(
            hasPasscode: { () throws(KeychainError) in !isUnlocked.value },
            unlock: { () throws(KeychainError) in isUnlocked.value = true }
        )
        let bench = EvaluationBench(device: device) { _ in Self.right }
        #expect(bench.failure(.deviceOwner) == .passcodeNotSet)
        #expect(bench.context.shown.isEmpty)
    }

    @Test(
        "how a question ends that is not answered",
        arguments: [
            (.cancelled, .userCancel), (.ended, .systemCancel), (.unavailable, .notInteractive),
            (.fallback, .userFallback), (.recognized, .authenticationFailed),
        ] as [(AuthenticationReply, AuthenticationFailure)]
    )
    func unanswered(reply: AuthenticationReply, failure: AuthenticationFailure) {
        let bench = EvaluationBench { _ in reply }
        #expect(bench.failure(.deviceOwner) == failure)
        #expect(bench.questions == [.passcode])
    }

    @Test("biometry that cannot be asked for leaves the passcode; one that is answered by a secret counts as failed")
    func oddBiometry() {
        let unavailable = EvaluationBench(biometry: Self.finger) { $0.kind == .biometry ? .unavailable : Self.right }
        #expect(unavailable.failure(.deviceOwner) == nil)
        #expect(unavailable.questions == [.biometry, .passcode])
        let odd = EvaluationBench(biometry: Self.finger) { _ in Self.right }
        #expect(odd.failure(.biometrics) == .authenticationFailed)
        #expect(odd.questions == [.biometry])
    }

    @Test("too many failed tries lock biometry out; the passcode is left to a policy that has it")
    func lockout() {
        for (policy, failure, questions) in [
            (.biometrics, .biometryLockout, [.biometry, .biometry]),
            (.deviceOwner, nil, [.biometry, .biometry, .passcode]),
        ] as [(AuthenticationPolicy, AuthenticationFailure?, [AuthenticationPrompt.Kind])] {
            let bench = EvaluationBench(biometry: Self.finger)
            let authenticator = bench.authenticator
            authenticator.setAnswer { prompt in
                if prompt.kind == .passcode { return Self.right }
                if prompt.problem != nil { authenticator.biometry.isLockedOut = true }
                return .notRecognized
            }
            #expect(bench.failure(policy) == failure)
            #expect(bench.questions == questions)
        }
    }

    @Test("somebody recognized while the enrolled set changes is nobody")
    func changeUnderQuestion() {
        let bench = EvaluationBench(biometry: Self.finger)
        let authenticator = bench.authenticator
        authenticator.setAnswer { _ in
            authenticator.biometry.enrolledSet = EvaluationBench.otherSet
            return .recognized
        }
        #expect(bench.failure(.biometrics) == .authenticationFailed)
        #expect(bench.context.shown.isEmpty)
    }

    @Test("the current set is the one that was stored, and still the one that is enrolled")
    func currentSet() {
        let bench = EvaluationBench(biometry: Self.finger) { _ in .recognized }
        let stored = EvaluationBench.accessControl(.biometryCurrentSet)
        #expect(
            bench.failure(EvaluationBench.accessControl(.biometryCurrentSet, enrolledSet: nil)) == .authenticationFailed
        )
        #expect(bench.questions.isEmpty)
        #expect(bench.failure(stored) == nil)
        #expect(bench.evaluator.isSatisfied(stored, by: bench.context))
        bench.authenticator.biometry.enrolledSet = EvaluationBench.otherSet
        #expect(!bench.evaluator.isSatisfied(stored, by: bench.context))
        #expect(bench.evaluator.isSatisfied(EvaluationBench.accessControl(.biometryAny), by: bench.context))
        #expect(bench.failure(stored) == .authenticationFailed)
        #expect(bench.questions == [.biometry])
    }

    @Test("what can be stored: constraints need a passcode, the current set needs one")
    func obstaclesToStoring() {
        let sets: [AccessControlFlags] = [
            .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .applicationPassword,
            .privateKeyUsage, [], [.biometryCurrentSet, .or, .devicePasscode],
            [.biometryCurrentSet, .and, .devicePasscode], [.biometryCurrentSet, .or, .companion],
        ]
        func obstacles(_ biometry: Biometry, hasPasscode: Bool) -> [AuthenticationFailure?] {
            let evaluator = EvaluationBench(biometry: biometry).evaluator
            return sets.map { flags in
                let accessControl = EvaluationBench.accessControl(flags, enrolledSet: nil)
                return evaluator.obstacleToStoring(accessControl, hasPasscode: hasPasscode)
            }
        }
        #expect(obstacles(Self.finger, hasPasscode: true) == sets.map { _ in nil })
        #expect(
            obstacles(Biometry(.faceID), hasPasscode: true) == [
                nil, nil, .authenticationFailed, nil, nil, nil, nil, nil, nil, .authenticationFailed,
                .authenticationFailed,
            ]
        )
        let needsPasscode = sets.map { flags in
            let isFree: Bool = flags.subtracting([.applicationPassword, .privateKeyUsage]).isEmpty
            return isFree ? nil : AuthenticationFailure.passcodeNotSet
        }
        #expect(obstacles(Self.finger, hasPasscode: false) == needsPasscode)
        let plain = AccessControl(synthesizedFor: .whenUnlocked)
        #expect(EvaluationBench().evaluator.obstacleToStoring(plain, hasPasscode: false) == nil)
    }
}

/// An application password is asked for, not judged.
struct ApplicationPasswordQuestionTests {
    @Test("it is asked for once, in the words of who needs it")
    func question() throws {
        let bench = EvaluationBench { _ in .secret(SecretBytes([1, 2])) }
        let password = try bench.evaluator.askForApplicationPassword(reason: "an item", bench.context)
        #expect(password == SecretBytes([1, 2]))
        _ = try bench.evaluator.askForApplicationPassword(
            isNew: true,
            problem: "It is wrong.",
            reason: "another",
            bench.context
        )
        #expect(bench.questions == [.applicationPassword, .newApplicationPassword])
        #expect(bench.authenticator.prompts.map(\.problem) == [nil, "It is wrong."])
        #expect(bench.authenticator.prompts.map(\.reason) == ["an item", "another"])
        #expect(bench.context.applicationPassword == nil)
    }

    @Test("one that the context has is not asked for")
    func given() {
        let bench = EvaluationBench()
        bench.authenticator.canAskForSecrets = false
        bench.context.applicationPassword = SecretBytes([7])
        #expect(bench.failure(EvaluationBench.accessControl(.applicationPassword)) == nil)
        #expect(bench.context.applicationPassword == SecretBytes([7]))
        #expect(bench.questions.isEmpty)
    }

    @Test("nobody is asked who may not or cannot be")
    func notInteractive() {
        let bench = EvaluationBench { _ in .secret(SecretBytes([1])) }
        let ask: () -> AuthenticationFailure? = {
            EvaluationBench.failure { () throws(AuthenticationFailure) in
                _ = try bench.evaluator.askForApplicationPassword(reason: "a test", bench.context)
            }
        }
        bench.context.settings.interactionNotAllowed = true
        #expect(ask() == .notInteractive)
        bench.context.settings.interactionNotAllowed = false
        bench.authenticator.canAskForSecrets = false
        #expect(ask() == .notInteractive)
        bench.context.invalidate()
        #expect(ask() == .invalidContext)
        #expect(bench.questions.isEmpty)
    }
}

/// An earlier recognition counts for as long as a context says (`touchIDAuthenticationAllowableReuseDuration`).
struct ReuseTests {
    private let bench = EvaluationBench(
        biometry: Biometry(.touchID, enrolledSet: EvaluationBench.storedSet)
    ) { _ in .recognized }

    init() throws {
        #expect(bench.failure(.biometrics) == nil)
        bench.clock.advance(by: 10)
    }

    private func later(_ seconds: Double) -> ContextState {
        let context = ContextState()
        context.settings.reuseDurationSeconds = seconds
        return context
    }

    private func isAsked(in context: ContextState) throws -> Bool {
        let before = bench.questions.count
        try bench.evaluator.evaluate(.biometrics, reason: "a test", context)
        return bench.questions.count > before
    }

    @Test("it counts until the duration is over")
    func duration() throws {
        #expect(try isAsked(in: later(0)))
        bench.clock.advance(by: 10)
        #expect(try !isAsked(in: later(10)))
        #expect(try isAsked(in: later(9.5)))
    }

    @Test("it never counts for longer than five minutes, whatever a request says")
    func longest() throws {
        bench.clock.advance(by: 289)
        #expect(try !isAsked(in: later(.infinity)))
        bench.clock.advance(by: 2)
        #expect(try isAsked(in: later(.infinity)))
    }

    @Test("what it is used for is noted, and stays shown in that context")
    func noted() throws {
        let context = later(20)
        #expect(try !isAsked(in: context))
        bench.clock.advance(by: 1000)
        #expect(try !isAsked(in: context))
        #expect(context.shown == [.biometry(enrolledSet: EvaluationBench.storedSet)])
    }

    @Test("an item is satisfied by it as well, but nothing is noted by merely looking")
    func items() {
        let context = later(20)
        #expect(bench.evaluator.isSatisfied(EvaluationBench.accessControl(.biometryCurrentSet), by: context))
        #expect(!bench.evaluator.isSatisfied(EvaluationBench.accessControl(.devicePasscode), by: context))
        #expect(context.shown.isEmpty)
        bench.clock.advance(by: 1000)
        #expect(!bench.evaluator.isSatisfied(EvaluationBench.accessControl(.biometryCurrentSet), by: context))
    }

    @Test("another boot, a clock that went back, another set and a lockout end it")
    func ends() throws {
        let time = bench.clock.now
        bench.clock.now.bootIdentifier = "second"
        #expect(try isAsked(in: later(300)))
        bench.clock.now = time
        #expect(try isAsked(in: later(300)))
        bench.clock.now.secondsSinceBoot -= 50
        #expect(try isAsked(in: later(300)))
        bench.authenticator.biometry.enrolledSet = EvaluationBench.otherSet
        #expect(try isAsked(in: later(300)))
        bench.authenticator.biometry.isLockedOut = true
        #expect(throws: AuthenticationFailure.biometryLockout) { try isAsked(in: later(300)) }
    }

    @Test("a passcode is no recognition")
    func passcode() {
        let bench = EvaluationBench { _ in .secret(SecretBytes(Array(EvaluationBench.passcode.utf8))) }
        #expect(bench.failure(.deviceOwner) == nil)
        #expect(!bench.evaluator.isSatisfied(EvaluationBench.accessControl(.userPresence), by: later(300)))
    }
}
