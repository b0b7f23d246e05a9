// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// What a call gave.
struct CallResult {
    var status: OSStatus
    var value: Any?
}

/// The calls of the public interface that steps make.
struct PublicCall {
    var profile: CaseProfile
    var variables: Variables

    func add(_ attributes: [String: ValueTemplate]) throws(CaseDefect) -> CallResult {
        let attributes = try dictionary(attributes)
        var result: CFTypeRef?
        let status = SecItemAdd(attributes, &result)
        return CallResult(status: status, value: result)
    }

    func copy(_ query: [String: ValueTemplate]) throws(CaseDefect) -> CallResult {
        let query = try dictionary(query)
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query, &result)
        return CallResult(status: status, value: result)
    }

    func update(
        _ query: [String: ValueTemplate],
        _ attributes: [String: ValueTemplate]
    ) throws(CaseDefect) -> CallResult {
        let query = try dictionary(query)
        let attributes = try ValueTemplate.values(attributes, variables) as NSDictionary
        return CallResult(status: SecItemUpdate(query, attributes), value: nil)
    }

    func delete(_ query: [String: ValueTemplate]) throws(CaseDefect) -> CallResult {
        CallResult(status: SecItemDelete(try dictionary(query)), value: nil)
    }

    func errorMessage(_ code: OSStatus) -> CallResult {
        CallResult(status: errSecSuccess, value: SecCopyErrorMessageString(code, nil))
    }

    func constant(_ name: String) throws(CaseDefect) -> CallResult {
        CallResult(status: errSecSuccess, value: try SymbolName.constant(name))
    }

    /// On macOS the keychain of the cases is one of two, and has to be asked for.
    private func dictionary(_ members: [String: ValueTemplate]) throws(CaseDefect) -> NSDictionary {
        var values = try ValueTemplate.values(members, variables)
        if profile == .macOS { values[kSecUseDataProtectionKeychain as String] = NSNumber(value: true) }
        return values as NSDictionary
    }
}
