// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Security

/// Runs cases through the public functions of Security, each on a fresh keychain.
package struct CaseRunner: Sendable {
    private let makeEnvironment: @Sendable (CaseProfile) throws -> any CaseEnvironment

    package init(subject: Subject) {
        self.init { profile in try subject.environment(profile) }
    }

    package init(environment: @escaping @Sendable (CaseProfile) throws -> any CaseEnvironment) {
        makeEnvironment = environment
    }

    /// Runs one case.
    ///
    /// The whole case is read first: what cannot be read fails before anything is done.
    package func run(_ testCase: Case) -> Outcome {
        guard let profile = CaseProfile(rawValue: testCase.profile) else {
            return Self.defective(CaseDefect("unknown profile \"\(testCase.profile)\""))
        }
        if testCase.steps.isEmpty { return Self.defective(CaseDefect("a case without steps")) }
        var steps: [Step] = []
        for (index, json) in testCase.steps.enumerated() {
            do throws(CaseDefect) {
                steps.append(try Step(json))
            } catch {
                return .failed(Failure(step: index, operation: Step.name(json), defect: error))
            }
        }
        return run(steps, profile)
    }

    private func run(_ steps: [Step], _ profile: CaseProfile) -> Outcome {
        let environment: any CaseEnvironment
        do {
            environment = try makeEnvironment(profile)
        } catch {
            return Self.defective(CaseDefect("the keychain cannot be made: \(error)"))
        }
        var session = CaseSession(environment: environment, profile: profile)
        for (index, step) in steps.enumerated() {
            let outcome = session.run(step, index)
            guard outcome == .passed else { return outcome }
        }
        return .passed
    }

    private static func defective(_ defect: CaseDefect) -> Outcome {
        .failed(Failure(step: nil, operation: "case", defect: defect))
    }
}
