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
        var progress = CaseProgress(environment: environment, profile: profile)
        for (index, step) in steps.enumerated() {
            let outcome = progress.run(step, index)
            guard outcome == .passed else { return outcome }
        }
        return .passed
    }

    private static func defective(_ defect: CaseDefect) -> Outcome {
        .failed(Failure(step: nil, operation: "case", defect: defect))
    }
}

/// A case that is being run: its keychain, and what its steps have left behind.
private struct CaseProgress {
    private var environment: any CaseEnvironment
    private let profile: CaseProfile
    private var variables: Variables = [:]
    private var promptsSeen = 0

    init(environment: any CaseEnvironment, profile: CaseProfile) {
        self.environment = environment
        self.profile = profile
    }

    mutating func run(_ step: Step, _ index: Int) -> Outcome {
        do throws(CaseDefect) {
            let result = try perform(step.operation)
            if let mismatch = try mismatch(result, step.expectation) ?? save(result, step.saves) {
                return .failed(Failure(step: index, operation: step.name, mismatch: mismatch))
            }
            return .passed
        } catch {
            return .failed(Failure(step: index, operation: step.name, defect: error))
        }
    }

    private mutating func perform(_ operation: StepOperation) throws(CaseDefect) -> CallResult {
        // Between two calls the date moves on, as it does where the cases come from.
        environment.device.clock.date += 0.01
        if case .setGroups(let groups) = operation {
            environment.setGroups(groups)
            return CallResult(status: errSecSuccess, value: nil)
        }
        if case .device(let step) = operation { return step.perform(on: environment.device, &promptsSeen) }
        return try environment.run { call(operation) }.get()
    }

    private func call(_ operation: StepOperation) -> Result<CallResult, CaseDefect> {
        let call = PublicCall(profile: profile, variables: variables)
        return Result { () throws(CaseDefect) in
            switch operation {
            case .add(let attributes): return try call.add(attributes)
            case .copy(let query): return try call.copy(query)
            case .update(let query, let attributes): return try call.update(query, attributes)
            case .delete(let query): return try call.delete(query)
            case .createAccessControl(let template): return try template.create(variables)
            case .constant(let name): return try call.constant(name)
            case .errorMessage(let code): return call.errorMessage(code)
            case .context(let step): return try step.perform(variables)
            case .key(let step): return try step.perform(variables)
            case .setGroups, .device: throw CaseDefect("no call belongs to this operation")
            }
        }
    }

    private func mismatch(_ result: CallResult, _ expectation: Expectation) throws(CaseDefect) -> Mismatch? {
        guard expectation.statuses.contains(result.status) else {
            let got = SymbolName.describe(result.status)
            return Mismatch(expected: expectation.describedStatuses, got: got)
        }
        return try expectation.matcher?.mismatch(result.value, variables)
    }

    /// Sets the variables that a step asks for; a mismatch says that the result has nothing to set one to.
    private mutating func save(_ result: CallResult, _ saves: [Step.Save]) -> Mismatch? {
        for save in saves {
            var value = result.value
            if let member = save.member { value = (result.value as? [String: Any])?[member] }
            guard let value else {
                let got = ValueDescription.describe(result.value)
                return Mismatch(expected: "something to save as \"\(save.variable)\"", got: got)
            }
            variables[save.variable] = value
        }
        return nil
    }
}
