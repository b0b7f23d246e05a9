// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainMacFrontEnd

/// What programs have set of collections that no keychain file keeps: aliases, and the label of `login`.
///
/// The alias `default` is none of these, but the default keychain. They are in a JSON file beside the preferences of
/// the user, which is replaced as a whole.
struct CollectionPreferences: Sendable {
    private let path: String

    private struct Contents {
        var aliases: [String: String] = [:]
        var loginLabel: String?
    }

    /// The most aliases.
    static let maximumAliasCount = 64

    /// The longest name of an alias.
    static let maximumAliasByteCount = 255

    private static let largestFile = 1 << 20
    private static let maximumAttempts = 100

    init(home: KeychainHome) { path = "\(home.path)/Library/Preferences/org.swift-keychain.collections.json" }

    /// What an alias stands for: the path of a keychain, or the name of a collection that is no file.
    func target(of alias: String) throws(KeychainError) -> String? { try read().contents.aliases[alias] }

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
        guard try read().contents.aliases.values.contains(where: { $0.isSamePath(as: target) }) else { return }
        try change { (contents) throws(KeychainError) in
            contents.aliases = contents.aliases.filter { !$0.value.isSamePath(as: target) }
        }
    }

    /// The label of the collection `login`; `nil` if none was set.
    func loginLabel() throws(KeychainError) -> String? { try read().contents.loginLabel }

    /// Sets the label of the collection `login`.
    func setLoginLabel(_ label: String) throws(KeychainError) {
        try change { (contents) throws(KeychainError) in contents.loginLabel = label }
    }

    private func change(
        _ body: (inout Contents) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        for _ in 0..<Self.maximumAttempts {
            var (contents, mark) = try read()
            try body(&contents)
            var members: [String: JSONValue] = ["aliases": .object(contents.aliases.mapValues { .string($0) })]
            members["loginLabel"] = contents.loginLabel.map { .string($0) }
            let text = JSONValue.object(members).indentedText + "\n"
            if try write(Array(text.utf8), replacing: mark) { return }
        }
        throw KeychainError(.notAvailable, "other programs keep changing the file", kind: .storage(.busy))
    }

    private func read() throws(KeychainError) -> (contents: Contents, mark: AtomicFile.Mark?) {
        let file: (bytes: [UInt8], mark: AtomicFile.Mark)?
        do throws(FileError) {
            file = try AtomicFile.read(path, limit: Self.largestFile)
        } catch {
            throw KeychainError(keychainFile: error)
        }
        guard let file else { return (Contents(), nil) }
        // A damaged file has nothing, and the next change replaces it.
        let json = try? JSONParser.parse(file.bytes)
        let aliases = (json?["aliases"].members ?? [:]).compactMapValues(\.string)
        return (Contents(aliases: aliases, loginLabel: json?["loginLabel"].string), file.mark)
    }

    private func write(_ bytes: [UInt8], replacing mark: AtomicFile.Mark?) throws(KeychainError) -> Bool {
        do throws(FileError) {
            guard mark == nil else { return try AtomicFile.replace(path, mark, with: bytes) != nil }
            try AtomicFile.makeFolders(above: path)
            _ = try AtomicFile.create(path, bytes)
            return true
        } catch {
            if case .taken = error { return false }
            throw KeychainError(keychainFile: error)
        }
    }
}
