// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// The two capabilities whose absence shows only in what a call answers.
struct SkipAtRunTime {
    /// Whether an earlier step stored an item that only local authentication can read.
    private var hasConstrainedItem = false
    /// Access controls that an earlier step made and saved.
    private var savedAccessControls: [String: AccessControlTemplate] = [:]

    /// The capability that would have made the difference between the status and the expected one, if there is one.
    func capability(for step: Step, status: OSStatus) -> Capability? {
        if step.expectation.statuses.contains(status) { return nil }
        switch status {
        case errSecInteractionNotAllowed where hasConstrainedItem && step.operation.mayAskPerson:
            return .authentication
        case errSecNotAvailable where step.expectation.statuses.contains(errSecSuccess) && needsPasscode(step):
            return .passcode
        default:
            return nil
        }
    }

    /// Takes note of what a step stored; call it after each step that went as expected.
    mutating func note(_ step: Step, status: OSStatus) {
        guard status == errSecSuccess else { return }
        if case .createAccessControl(let template) = step.operation {
            for save in step.saves where save.member == nil { savedAccessControls[save.variable] = template }
        }
        guard let attributes = step.operation.storedAttributes else { return }
        hasConstrainedItem = hasConstrainedItem || accessControl(in: attributes)?.isConstrained == true
    }

    private func needsPasscode(_ step: Step) -> Bool {
        guard let attributes = step.operation.storedAttributes else { return false }
        let protections = [attributes[kSecAttrAccessible as String], accessControl(in: attributes)?.protection]
        return protections.contains { protection in
            guard case .string(let name) = protection else { return false }
            return name == kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly as String
        }
    }

    private func accessControl(in attributes: [String: ValueTemplate]) -> AccessControlTemplate? {
        switch attributes[kSecAttrAccessControl as String] {
        case .accessControl(let template): template
        case .variable(let name): savedAccessControls[name]
        default: nil
        }
    }
}

extension StepOperation {
    fileprivate var storedAttributes: [String: ValueTemplate]? {
        switch self {
        case .add(let attributes), .update(_, let attributes): attributes
        default: nil
        }
    }

    /// Whether this call may put a question to a person: it reads items, and does not forbid it.
    fileprivate var mayAskPerson: Bool {
        switch self {
        case .copy(let query), .update(let query, _): !Self.forbidsQuestions(query)
        default: false
        }
    }

    /// `kSecUseAuthenticationUI` wins over the older `kSecUseNoAuthenticationUI`.
    private static func forbidsQuestions(_ query: [String: ValueTemplate]) -> Bool {
        if case .string(let choice) = query[kSecUseAuthenticationUI as String] {
            return [kSecUseAuthenticationUIFail, kSecUseAuthenticationUISkip].contains { $0 as String == choice }
        }
        if case .boolean(true) = query[kSecUseNoAuthenticationUI as String] { return true }
        return false
    }
}
