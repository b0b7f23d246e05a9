// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation
public import Testing

extension KeychainContract {
    /// Records an issue for each rule that four functions break, and a warning that names the rules that were not run.
    ///
    /// In XCTest, fail on `violations(of:on:)` instead.
    ///
    /// - Parameters:
    ///   - subject: creates a subject without items; evaluated once for each rule.
    ///   - platform: the platform of the device on which the subject is called.
    ///   - exceptions: the names of rules that the subject is known to break. A rule in this list that it satisfies is
    ///     an issue too, and so is an unknown name.
    ///   - requirements: the capabilities that the subject must have: a rule that is not run because one of them is
    ///     missing is an issue, and so is a capability that no rule for this kind of subject needs.
    ///   - sourceLocation: where the issues are recorded.
    /// - Throws: the errors of `subject`.
    public static func expectFaithful<Subject: SecItemContractSubject>(
        _ subject: @autoclosure () throws -> Subject,
        on platform: VirtualDevice.Platform = .default,
        except exceptions: [String] = [],
        requiring requirements: Set<ContractRule.Requirement> = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try report(of: try subject(), on: platform).record(
            except: exceptions,
            requiring: requirements,
            at: sourceLocation
        )
    }

    /// Records an issue for each rule that a store of passwords breaks, and a warning that names the rules that were
    /// not run.
    ///
    /// In XCTest, fail on `violations(of:on:)` instead.
    ///
    /// - Parameters:
    ///   - subject: creates a subject without passwords; evaluated once for each rule.
    ///   - platform: the platform of the device on which the subject is called.
    ///   - exceptions: the names of rules that the subject is known to break. A rule in this list that it satisfies is
    ///     an issue too, and so is an unknown name.
    ///   - requirements: the capabilities that the subject must have: a rule that is not run because one of them is
    ///     missing is an issue, and so is a capability that no rule for this kind of subject needs.
    ///   - sourceLocation: where the issues are recorded.
    /// - Throws: the errors of `subject`.
    public nonisolated(nonsending) static func expectFaithful<Subject: PasswordStoreContractSubject>(
        _ subject: @autoclosure () async throws -> Subject,
        on platform: VirtualDevice.Platform = .default,
        except exceptions: [String] = [],
        requiring requirements: Set<ContractRule.Requirement> = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await report(of: try await subject(), on: platform).record(
            except: exceptions,
            requiring: requirements,
            at: sourceLocation
        )
    }
}

extension ContractReport {
    func record(
        except exceptions: [String],
        requiring requirements: Set<ContractRule.Requirement>,
        at location: SourceLocation
    ) {
        for violation in violations where !exceptions.contains(violation.rule.name) {
            Issue.record("\(violation)", sourceLocation: location)
        }
        let known = Set(violations.map(\.rule.name))
        for name in exceptions where !known.contains(name) {
            let isRule = (kept + notRun.map(\.rule)).contains { $0.name == name }
            let reason = isRule ? "the subject does not break it" : "there is no such rule"
            Issue.record("the exception \"\(name)\" is of no use: \(reason)", sourceLocation: location)
        }
        recordNotRun(requiring: requirements, at: location)
        let needed = (kept + violations.map(\.rule) + notRun.map(\.rule)).flatMap(\.requirements)
        for requirement in requirements.subtracting(needed).sorted(by: { $0.rawValue < $1.rawValue }) {
            Issue.record("no rule for this kind of subject needs \(requirement.text)", sourceLocation: location)
        }
    }

    /// Reports the rules that were not run: those that were required as issues, the others in one warning.
    private func recordNotRun(requiring requirements: Set<ContractRule.Requirement>, at location: SourceLocation) {
        for omission in notRun where requirements.contains(omission.missing) {
            Issue.record(
                "not run: \(omission.rule.name), though the subject is to have \(omission.missing.text)",
                sourceLocation: location
            )
        }
        let others = notRun.filter { !requirements.contains($0.missing) }
        guard !others.isEmpty else { return }
        let list = others.map(\.description).joined(separator: "; ")
        let text = "\(others.count) rules of the contract were not run: \(list)"
        Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: location)
    }
}
