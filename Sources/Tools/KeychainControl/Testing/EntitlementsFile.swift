// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainPropertyLists

/// An entitlements file of an Xcode project, converted to the entitlements of a signed app.
struct EntitlementsFile {
    /// The program's entitlements.
    let contents: [String: Any]

    /// The build variables in it whose values are unknown here, in order.
    let unknownVariables: [String]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - url: the property list, XML or binary.
    ///   - prefix: the value of the build variables `AppIdentifierPrefix` and `TeamIdentifierPrefix`, such as
    ///     `TEAMID.`.
    ///   - bundleIdentifier: the program's bundle identifier.
    /// - Throws: ``Refusal`` if it is not a property list with a dictionary.
    init(_ url: URL, prefix: String, bundleIdentifier: String) throws(Refusal) {
        guard let data = try? Data(contentsOf: url), PropertyListShape.isHarmless(data),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        else { throw Refusal("\(url.path) is not a property list with a dictionary") }
        let team = prefix.hasSuffix(".") ? String(prefix.dropLast()) : prefix
        let variables = [
            "DEVELOPMENT_TEAM": team, "AppIdentifierPrefix": prefix, "TeamIdentifierPrefix": prefix,
            "CFBundleIdentifier": bundleIdentifier, "PRODUCT_BUNDLE_IDENTIFIER": bundleIdentifier,
        ]
        var contents = list.mapValues { Self.expand($0, variables) }
        // Signing adds it from the provisioning profile (Apple's TN3125, "Inside Code Signing: Provisioning Profiles").
        if contents["application-identifier"] == nil, contents["com.apple.application-identifier"] == nil {
            contents["application-identifier"] = prefix + bundleIdentifier
        }
        self.contents = contents
        unknownVariables = Set(Self.texts(in: contents).flatMap(Self.variables)).sorted()
    }

    private static func texts(in value: Any) -> [String] {
        switch value {
        case let text as String: [text]
        case let list as [Any]: list.flatMap(texts)
        case let dictionary as [String: Any]: dictionary.values.flatMap(texts)
        default: []
        }
    }

    private static func variables(in text: String) -> [String] {
        text.matches(of: /\$[({](\w+)[^)}]*[)}]/).map { String($0.1) }
    }

    /// Writes it to where the keychain reads it.
    func write(to path: String) throws(Refusal) {
        do {
            let data = try PropertyListSerialization.data(fromPropertyList: contents, format: .xml, options: 0)
            try data.write(to: URL(fileURLWithPath: path))
        } catch { throw Refusal("\(path) cannot be written: \(error.localizedDescription)") }
    }

    /// Whether a file names groups; otherwise there is no reason to choose it.
    static func namesGroups(_ url: URL) -> Bool {
        guard let data = try? Data(contentsOf: url), PropertyListShape.isHarmless(data),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        else { return false }
        return ["keychain-access-groups", "com.apple.security.application-groups"].contains { list[$0] != nil }
    }

    private static func expand(_ value: Any, _ variables: [String: String]) -> Any {
        switch value {
        case let text as String:
            variables.reduce(text) { text, variable in
                text.replacingOccurrences(of: "$(\(variable.key))", with: variable.value)
                    .replacingOccurrences(of: "${\(variable.key)}", with: variable.value)
            }
        case let list as [Any]: list.map { expand($0, variables) }
        case let dictionary as [String: Any]: dictionary.mapValues { expand($0, variables) }
        default: value
        }
    }
}
