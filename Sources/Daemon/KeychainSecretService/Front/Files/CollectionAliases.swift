// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainMacFrontEnd

/// The aliases that programs have set, but for `default`, which is the default keychain: a JSON file beside the
/// preferences of the user, replaced as a whole.
struct CollectionAliases: Sendable {
    private let path: String

    /// The most aliases.
    static let maximumCount = 64

    /// The longest name of an alias.
    static let maximumByteCount = 255

    private static let largestFile = 1 << 20
    private static let maximumAttempts = 100

    init(home: KeychainHome) { path = "\(home.path)/Library/Preferences/org.swift-keychain.aliases.json" }

    /// What an alias stands for: the path of a keychain, or the name of a collection that is no file.
    func target(of alias: String) throws(KeychainError) -> String? { try read().aliases[alias] }

    /// Sets what an alias stands for; `nil` removes it.
    ///
    /// - Throws: `errSecParam` for too many.
    func set(_ alias: String, to target: String?) throws(KeychainError) {
        try change { (aliases) throws(KeychainError) in
            aliases[alias] = target
            guard aliases.count <= Self.maximumCount else { throw .parameter("there are too many aliases") }
        }
    }

    /// Removes every alias of a keychain.
    func removeAll(of target: String) throws(KeychainError) {
        guard try read().aliases.values.contains(where: { $0.isSamePath(as: target) }) else { return }
        try change { (aliases) throws(KeychainError) in aliases = aliases.filter { !$0.value.isSamePath(as: target) } }
    }

    private func change(
        _ body: (inout [String: String]) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        for _ in 0..<Self.maximumAttempts {
            var (aliases, mark) = try read()
            try body(&aliases)
            let json = JSONValue.object(["aliases": .object(aliases.mapValues { .string($0) })])
            if try write(Array((json.indentedText + "\n").utf8), replacing: mark) { return }
        }
        throw KeychainError(.notAvailable, "other programs keep changing the aliases", kind: .storage(.busy))
    }

    private func read() throws(KeychainError) -> (aliases: [String: String], mark: AtomicFile.Mark?) {
        let file: (bytes: [UInt8], mark: AtomicFile.Mark)?
        do throws(FileError) {
            file = try AtomicFile.read(path, limit: Self.largestFile)
        } catch {
            throw KeychainError(keychainFile: error)
        }
        guard let file else { return ([:], nil) }
        // A damaged file has none, and the next change replaces it.
        let json = try? JSONParser.parse(file.bytes)
        return ((json?["aliases"].members ?? [:]).compactMapValues(\.string), file.mark)
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
