// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

extension Step {
    /// What must exist before this step can be run, decided without running it.
    var capability: Capability? {
        operation.capability ?? expectation.matcher?.capability
    }
}

extension StepOperation {
    fileprivate var capability: Capability? {
        switch self {
        case .add(let members), .copy(let members), .delete(let members):
            return Self.capability(of: members)
        case .update(let query, let attributes):
            return Self.capability(of: query) ?? Self.capability(of: attributes)
        case .unavailable(let capability):
            return capability
        case .setGroups, .createAccessControl, .constant, .errorMessage, .sleep, .device, .context:
            return nil
        }
    }

    private static func capability(of members: [String: ValueTemplate]) -> Capability? {
        let missing = members.sorted { $0.key < $1.key }.lazy.compactMap(\.value.capability).first
        return missing ?? (asksForReference(members) ? .reference : nil)
    }

    /// Passwords have no reference type, so asking for theirs needs nothing.
    private static func asksForReference(_ members: [String: ValueTemplate]) -> Bool {
        guard case .boolean(true) = members[kSecReturnRef as String] else { return false }
        guard case .string(let itemClass) = members[kSecClass as String] else { return false }
        return [kSecClassKey, kSecClassCertificate, kSecClassIdentity].map { $0 as String }.contains(itemClass)
    }
}

extension ValueTemplate {
    fileprivate var capability: Capability? {
        switch self {
        case .unavailable(let capability): capability
        case .array(let elements): elements.lazy.compactMap(\.capability).first
        case .dictionary(let members): members.values.lazy.compactMap(\.capability).first
        default: nil
        }
    }
}
