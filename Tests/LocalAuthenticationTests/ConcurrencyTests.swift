// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import LocalAuthentication
import PortableLocalAuthentication
import Synchronization
import Testing

/// Contexts that many threads use at once.
struct ConcurrencyTests {
    private static let count = 200

    @Test("two hundred asynchronous evaluations wait without taking a thread of the tasks", arguments: Form.allCases)
    func manyContexts(form: Form) async throws {
        let gate = Gate()
        let service = FakeAuthentication { _ in gate.wait() ? nil : .systemCancel }
        let outcomes = try await service.run {
            try await withThrowingTaskGroup(of: Outcome?.self) { group in
                for _ in 0..<Self.count { group.addTask { try await form.evaluate(LAContext()) } }
                // Runs only if the evaluations before it leave it a thread.
                group.addTask {
                    gate.open()
                    return nil
                }
                return try await group.reduce(into: [Outcome]()) { outcomes, outcome in
                    if let outcome { outcomes.append(outcome) }
                }
            }
        }
        #expect(outcomes == Array(repeating: .success, count: Self.count))
        #expect(service.questions.count == Self.count)
    }

    @Test("one context in two hundred threads: every reply comes, once")
    func oneContext() async {
        let service = FakeAuthentication()
        let context = LAContext()
        let (replies, continuation) = AsyncStream.makeStream(of: Outcome.self)
        for number in 0..<Self.count {
            Thread.detachNewThread {
                service.run {
                    context.localizedReason = "reason \(number)"
                    context.localizedCancelTitle = number.isMultiple(of: 2) ? nil : "cancel"
                    context.touchIDAuthenticationAllowableReuseDuration = Double(number)
                    context.setCredential(Data("password".utf8), type: .applicationPassword)
                    context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
                    context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "a test") {
                        continuation.yield(Outcome($0, $1))
                    }
                }
            }
        }
        var outcomes: [Outcome] = []
        for await outcome in replies {
            outcomes.append(outcome)
            if outcomes.count == Self.count { break }
        }
        #expect(outcomes == Array(repeating: .success, count: Self.count))
        #expect(service.questions.count == Self.count)
        #expect(context.localizedReason.hasPrefix("reason "))
        #expect(context.isCredentialSet(.applicationPassword))
    }

    @Test(
        "invalidation in the middle of many questions ends all of them, and no reply is lost",
        arguments: Form.allCases
    )
    func invalidation(form: Form) async throws {
        let began = Atomic(0)
        let context = LAContext()
        let service = FakeAuthentication { question in
            let ended = Gate()
            question.cancellation.onCancel { ended.open() }
            if began.add(1, ordering: .relaxed).newValue == 10 { context.invalidate() }
            return ended.wait() ? .appCancel : nil
        }
        let outcomes = try await service.run {
            try await withThrowingTaskGroup(of: Outcome.self) { group in
                for _ in 0..<Self.count { group.addTask { try await form.evaluate(context) } }
                return try await group.reduce(into: [Outcome]()) { $0.append($1) }
            }
        }
        #expect(outcomes.count == Self.count)
        // Those that began before are cancelled; those that began after are refused.
        #expect(outcomes.filter { $0 == .failure(.appCancel) }.count >= 10)
        #expect(outcomes.allSatisfy { $0 == .failure(.appCancel) || $0 == .failure(.invalidContext) })
    }
}
