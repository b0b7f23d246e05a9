// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The entitlements that the keychain looks at (specification, section 6).
struct Entitlements: Sendable, Hashable {
    /// The access groups in their order.
    let accessGroups: [String]

    /// Why a list cannot be used.
    enum Failure: Error, Hashable, CustomStringConvertible {
        case notAPropertyList
        case wrongType(key: String)
        case unexpanded(String)

        var description: String {
            switch self {
            case .notAPropertyList: "it is not a property list with a dictionary"
            case .wrongType(let key): "the value of \(key) has a wrong type"
            case .unexpanded(let group):
                "the group \(group) has a build variable; set \(ProcessClient.prefixVariable) to the prefix, "
                    + "such as 'TEAMID.'"
            }
        }
    }

    /// Reads a property list, XML or binary.
    ///
    /// - Parameters:
    ///   - propertyList: the bytes of the list.
    ///   - prefix: what `$(AppIdentifierPrefix)` and `$(TeamIdentifierPrefix)` stand for, as in Xcode's files.
    /// - Throws: ``Failure``.
    init(propertyList: Data, prefix: String?) throws {
        guard let object = try? PropertyListSerialization.propertyList(from: propertyList, format: nil),
            let entitlements = object as? [String: Any]
        else { throw Failure.notAPropertyList }
        var groups: [String] = []
        for (key, isList) in Self.keys {
            for group in try Self.strings(entitlements[key], key, isList: isList) {
                let expanded = try Self.expand(group, prefix)
                if !groups.contains(where: { $0.utf8.elementsEqual(expanded.utf8) }) { groups.append(expanded) }
            }
        }
        // The group of hardware tokens is never a default.
        let token = kSecAttrAccessGroupToken as String
        accessGroups = groups.filter { $0 != token } + groups.filter { $0 == token }
    }

    /// The entitlements that name groups, in the order in which they count, and whether each is a list.
    private static let keys: [(String, isList: Bool)] = [
        ("keychain-access-groups", true),
        ("com.apple.developer.associated-application-identifier", true),
        ("application-identifier", false),
        ("com.apple.application-identifier", false),
        ("com.apple.security.application-groups", true),
    ]

    private static func strings(_ value: Any?, _ key: String, isList: Bool) throws -> [String] {
        switch value {
        case nil: return []
        case let list as [String] where isList: return list
        case let text as String: return [text]
        default: throw Failure.wrongType(key: key)
        }
    }

    private static func expand(_ group: String, _ prefix: String?) throws -> String {
        var expanded = group
        for variable in ["$(AppIdentifierPrefix)", "$(TeamIdentifierPrefix)"] where expanded.contains(variable) {
            guard let prefix else { throw Failure.unexpanded(group) }
            expanded = expanded.replacingOccurrences(of: variable, with: prefix)
        }
        guard !expanded.contains("$(") else { throw Failure.unexpanded(group) }
        return expanded
    }
}
