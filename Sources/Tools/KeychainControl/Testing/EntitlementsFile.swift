// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainPropertyLists

/// An entitlements file of an Xcode project, converted to the entitlements of a signed app.
struct EntitlementsFile {
    /// The program's entitlements.
    let contents: [String: PropertyListValue]

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
        guard let data = try? Data(contentsOf: url), let list = PropertyListValue(data)?.members
        else { throw Refusal("\(url.path) is not a property list with a dictionary") }
        let team = prefix.hasSuffix(".") ? String(prefix.dropLast()) : prefix
        let variables = [
            "DEVELOPMENT_TEAM": team, "AppIdentifierPrefix": prefix, "TeamIdentifierPrefix": prefix,
            "CFBundleIdentifier": bundleIdentifier, "PRODUCT_BUNDLE_IDENTIFIER": bundleIdentifier,
        ]
        var contents = list.mapValues { Self.expand($0, variables) }
        // Signing adds it from the provisioning profile (Apple's TN3125, "Inside Code Signing: Provisioning Profiles").
        if contents["application-identifier"] == nil, contents["com.apple.application-identifier"] == nil {
            contents["application-identifier"] = .string(prefix + bundleIdentifier)
        }
        self.contents = contents
        unknownVariables = Set(Self.texts(in: .dictionary(contents)).flatMap(Self.variables)).sorted()
    }

    private static func texts(in value: PropertyListValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let list): list.flatMap(texts)
        case .dictionary(let dictionary): dictionary.values.flatMap(texts)
        case .boolean, .integer, .unsigned, .real, .data, .date: []
        }
    }

    private static func variables(in text: String) -> [String] {
        text.matches(of: /\$[({](\w+)[^)}]*[)}]/).map { String($0.1) }
    }

    /// Writes it to where the keychain reads it.
    func write(to path: String) throws(Refusal) {
        do {
            try PropertyListValue.dictionary(contents).xml().write(to: URL(fileURLWithPath: path))
        } catch { throw Refusal("\(path) cannot be written: \(FailureText.of(error))") }
    }

    /// Whether a file names groups; otherwise there is no reason to choose it.
    static func namesGroups(_ url: URL) -> Bool {
        guard let data = try? Data(contentsOf: url), let list = PropertyListValue(data)?.members else { return false }
        return ["keychain-access-groups", "com.apple.security.application-groups"].contains { list[$0] != nil }
    }

    private static func expand(_ value: PropertyListValue, _ variables: [String: String]) -> PropertyListValue {
        switch value {
        case .string(let text):
            .string(
                variables.reduce(text) { text, variable in
                    text.replacing("$(\(variable.key))", with: variable.value)
                        .replacing("${\(variable.key)}", with: variable.value)
                }
            )
        case .array(let list): .array(list.map { expand($0, variables) })
        case .dictionary(let dictionary): .dictionary(dictionary.mapValues { expand($0, variables) })
        case .boolean, .integer, .unsigned, .real, .data, .date: value
        }
    }
}
