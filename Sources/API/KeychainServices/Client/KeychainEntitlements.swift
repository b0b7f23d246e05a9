// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainPropertyLists

/// The entitlements that the keychain uses (Semantics, "Access groups").
struct KeychainEntitlements: Sendable, Hashable {
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
    ///   - prefix: the value of `$(AppIdentifierPrefix)` and `$(TeamIdentifierPrefix)`, as in Xcode's files.
    /// - Throws: ``Failure``.
    init(propertyList: Data, prefix: String?) throws {
        guard PropertyListShape.isHarmless(propertyList),
            let object = try? PropertyListSerialization.propertyList(from: propertyList, format: nil),
            let entitlements = object as? [String: Any]
        else { throw Failure.notAPropertyList }
        accessGroups = try AccessGroupOrder.groups { (key, isList) throws(Failure) in
            try Self.strings(entitlements[key], key, isList: isList).map { (group) throws(Failure) in
                try Self.expand(group, prefix)
            }
        }
    }

    private static func strings(_ value: Any?, _ key: String, isList: Bool) throws(Failure) -> [String] {
        switch value {
        case nil: return []
        case let list as [String] where isList: return list
        case let text as String: return [text]
        default: throw Failure.wrongType(key: key)
        }
    }

    private static func expand(_ group: String, _ prefix: String?) throws(Failure) -> String {
        var expanded = group
        for variable in ["$(AppIdentifierPrefix)", "$(TeamIdentifierPrefix)"] where expanded.contains(variable) {
            guard let prefix else { throw Failure.unexpanded(group) }
            expanded = expanded.replacingOccurrences(of: variable, with: prefix)
        }
        guard !expanded.contains("$(") else { throw Failure.unexpanded(group) }
        return expanded
    }
}
