// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTrace
import Security

/// Names as cases spell them, looked up among the public symbols of the module Security.
enum SymbolName {
    /// The dictionary key that a name stands for: a public constant, or what follows `raw:`.
    static func key(_ name: String) throws(CaseDefect) -> String {
        if name.hasPrefix(CaseNotation.rawPrefix) { return String(name.dropFirst(CaseNotation.rawPrefix.count)) }
        return try constant(name)
    }

    /// The value of a public string constant.
    static func constant(_ name: String) throws(CaseDefect) -> String {
        guard let value = PublicSymbols.string(named: name) else {
            throw CaseDefect("unknown constant \"\(name)\"")
        }
        return value
    }

    /// The number of a status, which a case gives as a name or as a number.
    static func status(_ value: JSONValue) throws(CaseDefect) -> OSStatus {
        switch value {
        case .integer(let number):
            guard let code = OSStatus(exactly: number) else { throw CaseDefect("status \(number) is out of range") }
            return code
        case .string(let name):
            guard let code = PublicSymbols.status(named: name) else { throw CaseDefect("unknown status \"\(name)\"") }
            return code
        default:
            throw CaseDefect("a status is a name or an integer")
        }
    }

    /// A status for people: its name if it is one of those that SecItem calls return, and its number.
    static func describe(_ status: OSStatus) -> String {
        guard let name = frequentStatuses.first(where: { PublicSymbols.status(named: $0) == status }) else {
            return "status \(status)"
        }
        return "\(name) (\(status))"
    }

    private static let frequentStatuses = [
        "errSecSuccess", "errSecUnimplemented", "errSecIO", "errSecParam", "errSecAllocate", "errSecUserCanceled",
        "errSecInternalComponent", "errSecMissingEntitlement", "errSecRestrictedAPI", "errSecNotAvailable",
        "errSecReadOnly", "errSecAuthFailed", "errSecDuplicateItem", "errSecItemNotFound", "errSecNoSuchAttr",
        "errSecInvalidItemRef", "errSecNoSuchClass", "errSecInteractionNotAllowed", "errSecDecode",
        "errSecInternalError",
    ]
}
