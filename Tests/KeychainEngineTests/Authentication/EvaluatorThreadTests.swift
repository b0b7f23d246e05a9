// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainEngine

/// Evaluations in several threads.
struct EvaluatorThreadTests {
    private static let right = AuthenticationReply.secret(SecretBytes(Array(EvaluationBench.passcode.utf8)))

    @Test("questions are asked one at a time")
    func oneAtATime() {
        let open = Counter()
        let bench = EvaluationBench { _ in
            open.add(1)
            for _ in 0..<10 { sched_yield() }
            defer { open.add(-1) }
            return Self.right
        }
        let failures = Counter()
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            let context = ContextState()
            let failure = EvaluationBench.failure { () throws(AuthenticationFailure) in
                try bench.evaluator.evaluate(.deviceOwner, reason: "a test", context)
            }
            if failure != nil || context.shown != [.passcode] { failures.add(1) }
        }
        #expect(failures.value == 0)
        #expect(open.highest == 1)
        #expect(bench.questions.count == 16)
    }

    @Test("of several threads with one context, one asks")
    func sameContext() {
        let bench = EvaluationBench { _ in Self.right }
        let failures = Counter()
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            if bench.failure(.deviceOwner) != nil { failures.add(1) }
        }
        #expect(failures.value == 0)
        #expect(bench.questions == [.passcode])
    }

    @Test("what another thread shows while it is looked at what could be asked is not asked for, and refuses nothing")
    func shownMeanwhile() {
        let policy = EvaluationBench(shownWhileLooking: .passcode)
        #expect(policy.failure(.deviceOwner) == nil)
        #expect(policy.questions.isEmpty)
        let presence = EvaluationBench(shownWhileLooking: .passcode)
        #expect(presence.failure(EvaluationBench.accessControl(.userPresence)) == nil)
        #expect(presence.questions.isEmpty)
        let obstacle = EvaluationBench(shownWhileLooking: .passcode)
        #expect(obstacle.evaluator.obstacle(to: .deviceOwner, obstacle.context) == nil)
    }

    @Test("an application password that is typed while another thread waits for its turn is not asked for again")
    func typedMeanwhile() {
        let context = ContextState()
        let authenticator = SlowQueue {
            context.applicationPassword = SecretBytes([1])
        }
        let evaluator = Evaluator(
            device: FakeDevice(passcode: EvaluationBench.passcode).device,
            authenticator: authenticator,
            hostClock: SettableHostClock()
        )
        let failure = EvaluationBench.failure { () throws(AuthenticationFailure) in
            let accessControl = EvaluationBench.accessControl(.applicationPassword)
            try evaluator.evaluate(accessControl, reason: "a test", context)
        }
        #expect(failure == nil)
        #expect(context.applicationPassword == SecretBytes([1]))
        #expect(authenticator.questions == 0)
    }

    @Test("invalidating a context ends its question")
    func invalidated() {
        let bench = EvaluationBench()
        let context = bench.context
        bench.authenticator.setAnswer { prompt in
            context.invalidate()
            return prompt.cancellation.isCancelled ? .ended : Self.right
        }
        #expect(bench.failure(.deviceOwner) == .appCancel)
    }

    @Test("an answer that comes after the context was invalidated counts for nothing")
    func lateAnswer() {
        let device = FakeDevice(passcode: EvaluationBench.passcode)
        let bench = EvaluationBench(device: device.device)
        let context = bench.context
        bench.authenticator.setAnswer { _ in
            context.invalidate()
            return Self.right
        }
        #expect(bench.failure(.deviceOwner) == .appCancel)
        #expect(device.attempts == 0)
    }

    @Test("whoever waits for a turn leaves when the context is invalidated, and the others go on")
    func leavingTheQueue() {
        let asked = DispatchSemaphore(value: 0)
        let answer = DispatchSemaphore(value: 0)
        let bench = EvaluationBench { _ in
            asked.signal()
            answer.wait()
            return Self.right
        }
        let evaluator = bench.evaluator
        let outcomes = Outcomes()
        let group = DispatchGroup()
        func evaluate(_ name: String, _ context: ContextState) {
            group.enter()
            Thread.detachNewThread {
                outcomes.record(
                    name,
                    EvaluationBench.failure { () throws(AuthenticationFailure) in
                        try evaluator.evaluate(.deviceOwner, reason: name, context)
                    }
                )
                group.leave()
            }
        }
        evaluate("first", ContextState())
        asked.wait()
        let second = ContextState()
        evaluate("second", second)
        second.invalidate()
        outcomes.wait(for: "second")
        // It was waiting, or had not begun.
        #expect([.appCancel, .invalidContext].contains(outcomes["second"]))
        #expect(outcomes.names == ["second"])
        evaluate("third", ContextState())
        answer.signal()
        asked.wait()
        answer.signal()
        group.wait()
        #expect(outcomes.names == ["first", "second", "third"])
        #expect(bench.authenticator.prompts.map(\.reason) == ["first", "third"])
    }

    @Test("a turn is given in the order of coming, and time that is over ends the waiting")
    func turns() {
        let turns = QuestionTurns()
        let never = PromptCancellation()
        #expect(turns.acquire(within: 0, never))
        #expect(!turns.acquire(within: 0, never))
        // Another queue has turns of its own.
        #expect(turns.acquire(in: 1, within: 0, never))
        turns.release(1)
        let cancelled = PromptCancellation()
        cancelled.cancel()
        #expect(!turns.acquire(within: 60, cancelled))
        turns.release()
        #expect(turns.acquire(within: 0, cancelled))
        turns.release()
    }
}

extension EvaluationBench {
    /// One on which a factor is shown by another thread whenever an evaluation looks at its device.
    fileprivate init(shownWhileLooking factor: AuthenticationContext.Factor) {
        let context = Mutex<ContextState?>(nil)
        self.init(
            device: .answering(
                hasPasscode: { () throws(KeychainError) in
                    context.withLock(\.self)?.record(factor)
                    return true
                },
                unlock: {}
            )
        )
        context.withLock { [known = self.context] in $0 = known }
    }
}

/// An authenticator in whose queue something happens before it is anybody's turn.
private final class SlowQueue: Authenticator {
    private let asked = Counter()
    private let whileWaiting: @Sendable () -> Void

    init(_ whileWaiting: @escaping @Sendable () -> Void) { self.whileWaiting = whileWaiting }

    var questions: Int { asked.value }

    var biometry: Biometry { .none }

    var canAskForSecrets: Bool { true }

    func enqueue(_ cancellation: PromptCancellation) -> PromptTicket? {
        whileWaiting()
        return PromptTicket()
    }

    func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        asked.add(1)
        return .secret(SecretBytes([2]))
    }
}

/// A number that threads change.
private final class Counter: Sendable {
    private let state = Mutex((value: 0, highest: 0))

    var value: Int { state.withLock(\.value) }
    var highest: Int { state.withLock(\.highest) }

    func add(_ number: Int) {
        state.withLock { state in
            state.value += number
            state.highest = max(state.highest, state.value)
        }
    }
}

/// How named evaluations ended.
private final class Outcomes: @unchecked Sendable {
    // Protects what follows it.
    private let condition = NSCondition()
    private var outcomes: [String: AuthenticationFailure?] = [:]

    subscript(_ name: String) -> AuthenticationFailure? {
        condition.withLock { outcomes[name] ?? nil }
    }

    var names: [String] { condition.withLock { outcomes.keys.sorted() } }

    func record(_ name: String, _ failure: AuthenticationFailure?) {
        condition.withLock {
            outcomes[name] = .some(failure)
            condition.broadcast()
        }
    }

    func wait(for name: String) {
        condition.withLock {
            while outcomes[name] == nil { condition.wait() }
        }
    }
}
