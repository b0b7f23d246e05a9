// SPDX-License-Identifier: Apache-2.0
import KeychainCore

/// A set of result codes: those that rules distinguish, and all others as one.
package struct CodeSet: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let success = CodeSet(rawValue: 1)
    package static let notFound = CodeSet(rawValue: 2)
    package static let duplicate = CodeSet(rawValue: 4)
    package static let interactionNotAllowed = CodeSet(rawValue: 8)
    package static let authFailed = CodeSet(rawValue: 16)
    package static let userCanceled = CodeSet(rawValue: 32)
    package static let notAvailable = CodeSet(rawValue: 64)
    package static let missingEntitlement = CodeSet(rawValue: 128)
    package static let parameter = CodeSet(rawValue: 256)
    package static let decode = CodeSet(rawValue: 512)
    package static let other = CodeSet(rawValue: 1024)
    /// Success with an unexpected result; not a code of the system, and not in ``all``.
    package static let undecodable = CodeSet(rawValue: 2048)
    package static let all = CodeSet(rawValue: 2047)
    package static let failures = all.subtracting(.success)

    private static let named: [Int32: CodeSet] = {
        let names: [(String, CodeSet)] = [
            ("errSecSuccess", .success), ("errSecItemNotFound", .notFound), ("errSecDuplicateItem", .duplicate),
            ("errSecInteractionNotAllowed", .interactionNotAllowed), ("errSecAuthFailed", .authFailed),
            ("errSecUserCanceled", .userCanceled), ("errSecNotAvailable", .notAvailable),
            ("errSecMissingEntitlement", .missingEntitlement), ("errSecParam", .parameter), ("errSecDecode", .decode),
        ]
        return Dictionary(
            names.compactMap { name, code in StatusTable.rows.first { $0.name == name }.map { ($0.code, code) } }
        ) { first, _ in first }
    }()

    private static let numbers: [String: Int32] =
        Dictionary(StatusTable.rows.map { ($0.name, $0.code) } + [("noErr", 0)]) { first, _ in first }

    /// The set of one code; codes that no rule distinguishes are ``other``.
    package init(code: Int) { self = Self.named[Int32(clamping: code)] ?? .other }

    /// The number of a constant such as `errSecItemNotFound`; nil for other names.
    package static func number(named name: String) -> Int? { numbers[name].map { Int($0) } }
}
