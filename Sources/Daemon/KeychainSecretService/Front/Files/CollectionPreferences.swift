// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainMacFrontEnd

/// What programs have set of collections that no keychain file keeps: aliases, and the label of `login`.
///
/// The alias `default` is none of these, but the default keychain. They are in a file beside the preferences of the
/// user.
struct CollectionPreferences: Sendable {
    private let file: PreferencesFile

    private struct Contents {
        var aliases: [String: String] = [:]
        var loginLabel: String?
    }

    /// The most aliases.
    static let maximumAliasCount = 64

    /// The longest name of an alias.
    static let maximumAliasByteCount = 255

    init(home: KeychainHome) {
        file = PreferencesFile("\(home.path)/Library/Preferences/org.swift-keychain.collections.json")
    }

    /// What an alias stands for: the path of a keychain, or the name of a collection that is no file.
    func target(of alias: String) throws(KeychainError) -> String? { try read().aliases[alias] }

    /// Sets what an alias stands for; `nil` removes it.
    ///
    /// - Throws: `errSecParam` for too many.
    func set(_ alias: String, to target: String?) throws(KeychainError) {
        try change { (contents) throws(KeychainError) in
            contents.aliases[alias] = target
            guard contents.aliases.count <= Self.maximumAliasCount else {
                throw .parameter("there are too many aliases")
            }
        }
    }

    /// Removes every alias of a keychain.
    func removeAliases(of target: String) throws(KeychainError) {
        guard try read().aliases.values.contains(where: { $0.isSamePath(as: target) }) else { return }
        try change { (contents) throws(KeychainError) in
            contents.aliases = contents.aliases.filter { !$0.value.isSamePath(as: target) }
        }
    }

    /// The label of the collection `login`; `nil` if none was set.
    func loginLabel() throws(KeychainError) -> String? { try read().loginLabel }

    /// Sets the label of the collection `login`.
    func setLoginLabel(_ label: String) throws(KeychainError) {
        try change { (contents) throws(KeychainError) in contents.loginLabel = label }
    }

    private func change(_ body: (inout Contents) throws(KeychainError) -> Void) throws(KeychainError) {
        try file.change { (bytes) throws(KeychainError) in
            var contents = Self.contents(of: bytes)
            try body(&contents)
            var members: [String: JSONValue] = ["aliases": .object(contents.aliases.mapValues { .string($0) })]
            members["loginLabel"] = contents.loginLabel.map { .string($0) }
            return members
        }
    }

    private func read() throws(KeychainError) -> Contents { Self.contents(of: try file.read()) }

    /// A damaged file has nothing, and the next change replaces it.
    private static func contents(of bytes: [UInt8]?) -> Contents {
        guard let bytes, let json = try? JSONParser.parse(bytes) else { return Contents() }
        let aliases = (json["aliases"].members ?? [:]).compactMapValues(\.string)
        return Contents(aliases: aliases, loginLabel: json["loginLabel"].string)
    }
}
