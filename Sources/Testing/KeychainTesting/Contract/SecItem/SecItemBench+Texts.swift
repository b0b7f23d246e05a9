// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import PortableSecurity

extension SecItemBench {
    /// The attributes with string keys, for subjects.
    static func plain(_ attributes: Attributes) -> [String: Any] {
        var plain: [String: Any] = [:]
        for (key, value) in attributes { plain[key as String] = value }
        return plain
    }

    /// A result as a dictionary; `nil` if it is not one.
    static func dictionary(_ result: Any?) -> [String: Any]? {
        if let dictionary = result as? [String: Any] { return dictionary }
        if let dictionary = result as? [CFString: Any] { return plain(dictionary) }
        return nil
    }

    static func copying(_ query: Attributes) -> String { "SecItemCopyMatching(\(text(query)))" }

    /// The attributes as text; for a secret only the length.
    static func text(_ attributes: Attributes) -> String {
        plain(attributes).map { key, value in "\(KeychainCall.name(ofKey: key)): \(text(value, of: key))" }
            .sorted().joined(separator: ", ")
    }

    /// The type of a result.
    static func shape(_ result: Any?) -> String {
        switch result {
        case nil: "nothing"
        case let data as Data: "data of \(data.count) bytes"
        case let array as [Any]: "an array of \(array.count)"
        case let result?:
            if let dictionary = dictionary(result) {
                "a dictionary of \(dictionary.keys.map(KeychainCall.name(ofKey:)).sorted().joined(separator: ", "))"
            } else {
                "\(type(of: result)) \(text(result))"
            }
        }
    }

    private static func text(_ value: Any, of key: String) -> String {
        (value as? String).flatMap { KeychainCall.constant($0, of: key) } ?? text(value)
    }

    private static func text(_ value: Any) -> String {
        if let data = value as? Data { return "<\(data.count) bytes>" }
        if let date = value as? Date { return "\(date)" }
        if let string = value as? String { return "\"\(string)\"" }
        return "\(value)"
    }
}
