// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Every access control that can be made, and every policy, with every owner.
struct EvaluatorTableTests {
    private static let flags: [AccessControlFlags] = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .or, .and, .privateKeyUsage,
        .applicationPassword,
    ]

    /// The constraints of all the combinations of flags that are accepted.
    private static let constraints = (0..<1 << flags.count).compactMap { combination in
        AccessConstraints(
            AccessControlFlags(flags.enumerated().filter { combination >> $0.offset & 1 == 1 }.map(\.element))
        )
    }

    @Test("an access control's outcome, and exactly which questions are asked")
    func accessControls() {
        var differences: [String] = []
        for constraints in Self.constraints {
            for owner in ModelOwner.all {
                let bench = EvaluationBench(owner)
                let accessControl = EvaluationBench.accessControl(constraints)
                let failure = EvaluationBench.failure { () throws(AuthenticationFailure) in
                    try bench.evaluator.evaluateShown(accessControl, reason: "a test", bench.context)
                }
                let evaluation = EvaluationModel.Evaluation(failure: failure, questions: bench.questions)
                let expected = EvaluationModel(owner: owner).evaluation(constraints)
                let isSatisfied = bench.evaluator.isSatisfied(accessControl, by: bench.context)
                if evaluation != expected || isSatisfied != (failure == nil) {
                    differences.append("\(constraints.flags) \(owner): \(evaluation), not \(expected)")
                }
            }
        }
        #expect(Self.constraints.count == 148)
        #expect(differences.isEmpty, "\(differences.count), the first: \(differences.first ?? "")")
    }

    @Test("an application password is asked for last, and only where somebody can be asked for one")
    func passwords() {
        var differences: [String] = []
        for constraints in Self.constraints where constraints.requiresApplicationPassword {
            for owner in ModelOwner.all {
                let bench = EvaluationBench(owner)
                let failure = bench.failure(EvaluationBench.accessControl(constraints))
                var expected = EvaluationModel(owner: owner).evaluation(constraints)
                if owner.passcode == .unaskable || !owner.mayBeAsked {
                    expected = EvaluationModel.Evaluation(failure: .notInteractive)
                } else if expected.failure == nil {
                    expected.questions.append(.applicationPassword)
                }
                let evaluation = EvaluationModel.Evaluation(failure: failure, questions: bench.questions)
                let hasPassword = bench.context.applicationPassword == SecretBytes([1])
                if evaluation != expected || hasPassword != (failure == nil) {
                    differences.append("\(constraints.flags) \(owner): \(evaluation), not \(expected)")
                }
            }
        }
        #expect(differences.isEmpty, "\(differences.count), the first: \(differences.first ?? "")")
    }

    @Test("a policy's outcome, its questions, and what stands in its way", arguments: AuthenticationPolicy.allCases)
    func policies(_ policy: AuthenticationPolicy) {
        for owner in ModelOwner.all {
            let bench = EvaluationBench(owner)
            let expected = EvaluationModel(owner: owner).evaluation(policy)
            let obstacle = bench.evaluator.obstacle(to: policy, bench.context)
            #expect(bench.questions.isEmpty)
            #expect(obstacle == (expected.questions.isEmpty ? expected.failure : nil), "\(owner)")
            let evaluation = EvaluationModel.Evaluation(failure: bench.failure(policy), questions: bench.questions)
            #expect(evaluation == expected, "\(owner)")
        }
    }

    @Test("what was shown once is not asked for again in the same context")
    func twice() {
        let owner = ModelOwner(passcode: .right, biometry: .recognized, shownBefore: .nothing, mayBeAsked: true)
        for constraints in Self.constraints {
            let bench = EvaluationBench(owner)
            let accessControl = EvaluationBench.accessControl(constraints)
            let first = bench.failure(accessControl)
            let questions = bench.questions
            #expect(bench.failure(accessControl) == first)
            #expect(bench.questions == questions)
        }
    }
}
