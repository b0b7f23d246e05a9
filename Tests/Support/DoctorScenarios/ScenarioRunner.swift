// SPDX-License-Identifier: Apache-2.0

import Conformance
import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainDoctor
import KeychainFiles
import KeychainMacFrontEnd
import KeychainSimulation

/// Runs scenarios, each on a fresh keychain.
package struct ScenarioRunner: Sendable {
    private let redaction: Redaction

    package init(redaction: Redaction = .none) { self.redaction = redaction }

    /// How a scenario ended.
    package enum Outcome: Sendable, Equatable {
        case passed
        /// What was expected, and what it got instead; one pair for each expectation that does not hold.
        case failed([Mismatch])
        /// Why it cannot be run.
        case skipped(String)
    }

    /// An expectation that does not hold.
    package struct Mismatch: Sendable, Equatable {
        package var what: String
        package var expected: String
        package var got: String
    }

    /// What the doctor says of a scenario.
    package func report(_ scenario: Scenario) throws -> DoctorReport {
        var progress = try Progress(scenario)
        return try progress.report(redaction)
    }

    /// Runs one scenario.
    package func run(_ scenario: Scenario) -> Outcome {
        do throws(ScenarioError) {
            var progress = try Progress(scenario)
            return try progress.outcome()
        } catch {
            switch error {
            case .skip(let reason): return .skipped(reason)
            case .fail(let mismatch): return .failed([mismatch])
            }
        }
    }
}

/// Why a scenario does not come as far as a report.
enum ScenarioError: Error {
    case skip(String)
    case fail(ScenarioRunner.Mismatch)

    static func defect(_ text: String) -> ScenarioError {
        .fail(.init(what: "the row", expected: "a scenario that can be run", got: text))
    }
}

/// A scenario that is being run.
private struct Progress {
    private let scenario: Scenario
    private var session: CaseSession
    private var history = CallHistory()

    init(_ scenario: Scenario) throws(ScenarioError) {
        self.scenario = scenario
        let environment: ScenarioEnvironment
        do { environment = try ScenarioEnvironment(scenario.profile) } catch {
            throw .defect("the keychain cannot be made: \(error)")
        }
        let isMac = scenario.profile == .macOS || scenario.profile == .dataProtectionMacOS
        session = CaseSession(environment: environment, profile: isMac ? .macOS : .iOS)
    }

    private func environment() throws(ScenarioError) -> ScenarioEnvironment {
        guard let environment = session.environment as? ScenarioEnvironment else { throw .defect("no environment") }
        return environment
    }

    mutating func outcome() throws(ScenarioError) -> ScenarioRunner.Outcome {
        var mismatches = ScenarioExpectation(scenario).mismatches(try report(.none))
        if scenario.profile == .macOS { try makeFileKeychain() }
        if let mismatch = try realCall() { mismatches.append(mismatch) }
        return mismatches.isEmpty ? .passed : .failed(mismatches)
    }

    mutating func report(_ redaction: Redaction) throws(ScenarioError) -> DoctorReport {
        for (index, step) in scenario.steps.enumerated() { try run(step, index) }
        // The call of a native program is taken as it is written.
        if scenario.profile == .macOS { session.profile = .iOS }
        let environment = try environment()
        if scenario.isBackground || scenario.isContinuousIntegration {
            environment.device.owner.authenticator.setAnswer { _ in .unavailable }
        }
        let examined = try examinedCall()
        do throws(KeychainError) {
            return try Doctor.report(examined, redaction: redaction, of: environment.device.backend)
        } catch {
            throw .fail(.init(what: "the report", expected: "one", got: "\(error)"))
        }
    }

    private mutating func run(_ step: JSONValue, _ index: Int) throws(ScenarioError) {
        let before = try environment()
        let outcome = session.run(step, index)
        if case .failed(let failure) = outcome {
            throw .fail(.init(what: "step \(index + 1)", expected: failure.expected, got: failure.got))
        }
        let after = try environment()
        for call in before.keychain.takeCalls() {
            history.events.append(
                .call(CallHistory.RecordedCall(call.request, client: after.clientName, status: call.status))
            )
        }
        switch step["op"].string {
        case "setGroups": history.events.append(.groups(client: after.clientName, after.client.accessGroups))
        case "removePasscode": history.events.append(.passcodeRemoved)
        case "restore": history.events.append(.restored)
        case "reinstall": history.events.append(.reinstalled(client: after.clientName))
        default: break
        }
    }

    // MARK: - The call

    /// A step of the call, with any status.
    private func captured(_ json: JSONValue) throws(ScenarioError) -> KeychainRequest {
        let keychain = try environment().keychain
        keychain.setCapturing(true)
        defer { keychain.setCapturing(false) }
        var session = session
        _ = session.run(json, 0)
        guard let request = keychain.takeCalls().last?.request else {
            throw .defect("the call does not reach the keychain")
        }
        return request
    }

    private func examinedCall() throws(ScenarioError) -> ExaminedCall {
        let environment = try environment()
        var call = ExaminedCall(try captured(scenario.call))
        call.clientName = environment.clientName
        call.hasPasscode = environment.device.passcode != nil
        call.isBackground = scenario.isBackground
        call.isContinuousIntegration = scenario.isContinuousIntegration
        if let name = scenario.usedAs {
            guard let type = ResultType(rawValue: name) else { throw .defect("unknown type \"\(name)\"") }
            call.expectedResult = type
        }
        call.previousGroups = scenario.previousGroups
        call.otherGroups = scenario.otherGroups
        if scenario.hasHistory { call.history = history }
        call.platform =
            switch scenario.profile {
            case .dataProtectionIOS: .iOS
            case .dataProtectionMacOS, .macOS: .macOS
            case .catalyst: .catalyst
            case .simulator: .simulator
            }
        if let status = scenario.reportedStatus {
            guard let status = StatusName.status(status) else { throw .defect("an unknown reported status") }
            call.reportedStatus = status
        }
        if scenario.profile == .macOS { call.fileKeychain = try fileKeychain() }
        return call
    }

    private func fileKeychain() throws(ScenarioError) -> KnownFileKeychain {
        guard let json = scenario.fileKeychain else { return .items([], isLocked: false) }
        guard json != .null else { return .missing }
        guard let items = json["items"] == .null ? [] : json["items"].elements else {
            throw .defect("\"items\" is not an array")
        }
        var dictionaries: [PropertyDictionary] = []
        for item in items {
            let request = try captured(.object(["op": .string("add"), "args": item]))
            if case .add(let dictionary) = request.operation { dictionaries.append(dictionary) }
        }
        return .items(dictionaries, isLocked: json["locked"] == .boolean(true))
    }

    /// Brings the login keychain of the virtual Mac into the state that the scenario says.
    ///
    /// The owner does not know the password of one that is locked.
    private mutating func makeFileKeychain() throws(ScenarioError) {
        guard let json = scenario.fileKeychain else { return }
        guard let keychains = try environment().device.macKeychains,
            let path = keychains.preferences.loginKeychain
        else { throw .defect("the device has no login keychain") }
        for item in json["items"].elements ?? [] {
            let add = JSONValue.object(["op": .string("add"), "args": item])
            guard case .failed(let failure) = session.run(add, 0) else { continue }
            throw .fail(.init(what: "an item of the file", expected: failure.expected, got: failure.got))
        }
        do throws(KeychainError) {
            if json == .null {
                try keychains.files.files.delete(at: path)
                try keychains.preferences.recordRemoval(of: path)
            } else if json["locked"] == .boolean(true) {
                try keychains.files.files.changePassword(
                    at: path,
                    from: SecretBytes(Array(VirtualDevice.defaultPasscode.utf8)),
                    to: SecretBytes(Array("another password".utf8))
                )
                try keychains.files.files.lock(at: path)
            }
        } catch {
            throw .defect("the login keychain cannot be made so: \(error)")
        }
    }

    /// Makes the call through the public functions: neither was the store touched, nor is the replay another
    /// implementation.
    private mutating func realCall() throws(ScenarioError) -> ScenarioRunner.Mismatch? {
        guard case .object(var members) = scenario.call else { throw .defect("\"call\" is not an object") }
        members["expect"] = .object(["status": scenario.expectation["status"] ?? .string("errSecSuccess")])
        guard case .failed(let failure) = session.run(.object(members), scenario.steps.count) else { return nil }
        return .init(what: "the call itself", expected: failure.expected, got: failure.got)
    }
}

/// Names of statuses.
enum StatusName {
    static func status(_ json: JSONValue) -> Status? {
        switch json {
        case .integer(let number): Int32(exactly: number).map(Status.init(rawValue:))
        case .string(let name): StatusTable.rows.first { $0.name == name }.map { Status(rawValue: $0.code) }
        default: nil
        }
    }
}
