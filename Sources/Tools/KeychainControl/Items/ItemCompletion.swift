// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// Values that a shell completes: the names of items.
///
/// No secret is opened, and what is locked is not offered.
enum ItemCompletion {
    /// The services of generic passwords.
    static let service = CompletionKind.custom { words, _, _ in names("svce", having: [], words) }

    /// The accounts of generic passwords, of the service that is on the command line.
    static let account = CompletionKind.custom { words, _, _ in names(.account, having: ["svce"], words) }

    /// The time that a shell waits.
    private static let milliseconds = 400

    private static func names(_ attribute: AttributeName, having known: [AttributeName], _ words: [String]) -> [String]
    {
        AnswerDeadline.start(milliseconds: milliseconds)
        var conditions: [String: PropertyValue] = [:]
        if known.contains("svce"), let service = value(of: ["-s", "--service"], words) {
            conditions["svce"] = .string(service)
        }
        return names(attribute, conditions, in: Surroundings.current.keychain)
    }

    /// The values of an attribute of generic passwords.
    ///
    /// The script of swift-argument-parser for bash expands what it is given, so names are left out that a shell would
    /// take for more than text.
    static func names(
        _ attribute: AttributeName,
        _ conditions: [String: PropertyValue],
        in keychain: any KeychainBackend
    ) -> [String] {
        var query = PropertyDictionary(conditions)
        query[PropertyKey.itemClass] = .string(ItemClass.genericPassword.rawValue)
        query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        query[PropertyKey.returnAttributes] = .boolean(true)
        query[PropertyKey.useAuthenticationUI] = .string(PropertyKey.useAuthenticationUISkip)
        guard let answer = try? keychain.perform(KeychainRequest(.copyMatching(query), client: .person)) else {
            return []
        }
        return OfferedNames.unquotedLines(
            answer.values.compactMap { value in
                guard case .dictionary(let attributes) = value,
                    case .string(let name)? = attributes[attribute.description]
                else { return nil }
                return name
            }
        )
    }

    private static func value(of names: [String], _ words: [String]) -> String? {
        for (index, word) in words.enumerated() where names.contains(word) && index + 1 < words.count {
            return words[index + 1]
        }
        return nil
    }
}
