// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainSimulation
import Security

/// A case that is being run: its keychain, and what its steps have left behind.
package struct CaseSession {
    package private(set) var environment: any CaseEnvironment
    package var profile: CaseProfile
    private var variables: Variables = [:]
    private var promptsSeen = 0

    package init(environment: any CaseEnvironment, profile: CaseProfile) {
        self.environment = environment
        self.profile = profile
    }

    /// Reads one step and runs it; an add with `repeat` so many times, with its number in the place of `#`.
    package mutating func run(_ json: JSONValue, _ index: Int) -> Outcome {
        do throws(CaseDefect) {
            guard case .object(var members) = json, let times = members.removeValue(forKey: "repeat") else {
                return run(try Step(json), index)
            }
            guard members["op"] == .string("add") else { throw CaseDefect("\"repeat\" belongs to \"add\"") }
            let count = try times.integer("\"repeat\"")
            for number in 0..<max(0, count) {
                let outcome = run(try Step(JSONValue.object(members).numbered(number + 1)), index)
                guard outcome == .passed else { return outcome }
            }
            return .passed
        } catch {
            return .failed(Failure(step: index, operation: Step.name(json), defect: error))
        }
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
        if try changeEnvironment(operation) { return CallResult(status: errSecSuccess, value: nil) }
        if case .device(let step) = operation { return step.perform(on: environment.device, &promptsSeen) }
        return try environment.run { call(operation) }.get()
    }

    private mutating func changeEnvironment(_ operation: StepOperation) throws(CaseDefect) -> Bool {
        switch operation {
        case .setGroups(let groups, let client): environment.setGroups(groups, of: client ?? Self.firstClient)
        case .restore:
            do { try environment.restore() } catch { throw CaseDefect("the store cannot be restored: \(error)") }
        case .reinstall: break
        default: return false
        }
        return true
    }

    /// The name of the client that every case begins with.
    package static let firstClient = "app"

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
            case .setGroups, .restore, .reinstall, .device: throw CaseDefect("no call belongs to this operation")
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

extension JSONValue {
    /// The value with a number in the place of each `#` in its strings.
    fileprivate func numbered(_ number: Int) -> JSONValue {
        switch self {
        case .string(let text):
            .string(text.split(separator: "#", omittingEmptySubsequences: false).joined(separator: String(number)))
        case .array(let elements): .array(elements.map { $0.numbered(number) })
        case .object(let members): .object(members.mapValues { $0.numbered(number) })
        case .null, .boolean, .integer, .real: self
        }
    }
}
