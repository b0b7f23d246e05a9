// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The result of reading a file.
struct FileResult: Sendable {
    var swift: SourceFile?
    var text: Project.TextFile?
    var skipped: Linter.Skipped?
    /// The bytes of a Swift file that contains none of the rules' words, for a second pass.
    var waiting: [UInt8]?
    var lineCount = 0
    var parsingTime = Duration.zero

    /// Larger files are generated, and would delay the rest.
    static let maximumSize = 5_000_000

    /// A Swift file without any of these words has no findings.
    private static let words = ByteSearch.Words([
        "SecItem", "kSec", "SecAccessControl", "SecKey", "SecIdentity", "SecPKCS12", "LAContext", "SecureEnclave",
        "isProtectedData",
        "UserDefaults", "AppStorage", "SceneStorage", "NSUbiquitousKeyValueStore", "eychain", "errSec",
        "assword", "ecret", "oken", "piKey", "apikey", "API_KEY", "rivateKey", "redential", "mnemonic",
        "CFDictionaryCreate", "ProjectDescription", "assphrase", "Vault", "@main", "UIApplicationMain", "AKIA", "ghp_",
        "sk_live_", "xox", "Valet", "Locksmith",
        "-----BEGIN",
    ])

    init(_ input: Linter.InputFile, parser: any SourceParser, manifests: Manifests) {
        guard let raw = input.bytes else {
            skipped = .init(file: input.path, reason: .unreadable)
            return
        }
        if raw.count > Self.maximumSize {
            skipped = .init(file: input.path, reason: .tooLarge)
            return
        }
        guard let bytes = SourceText.decoded(raw)?.text else {
            if !raw.starts(with: Array("bplist".utf8)) { skipped = .init(file: input.path, reason: .notUTF8) }
            return
        }
        guard input.path.hasSuffix(".swift") else {
            guard let string = SourceText.string(bytes) else {
                skipped = .init(file: input.path, reason: .notUTF8)
                return
            }
            text = .init(path: input.path, text: string)
            return
        }
        lineCount = bytes.withUnsafeBufferPointer { buffer in
            var count = 1
            for byte in buffer where byte == 10 { count += 1 }
            return count
        }
        guard Self.words.areFound(in: bytes) else {
            if SourceFile.isTestPath(input.path) { waiting = bytes }
            return
        }
        parse(bytes, at: input.path, by: parser, manifests: manifests)
    }

    /// Parses a deferred file, because it names a type that reaches the keychain.
    mutating func parse(_ bytes: [UInt8], at path: String, by parser: any SourceParser, manifests: Manifests) {
        waiting = nil
        guard SourceText.string(bytes) != nil else {
            skipped = .init(file: path, reason: .notUTF8)
            return
        }
        let start = ContinuousClock().now
        let tree = parser.parse(swift: bytes)
        parsingTime = ContinuousClock().now - start
        if tree.hasErrors {
            skipped = .init(file: path, reason: .unparsed)
        }
        if tree.isTooDeep { skipped = .init(file: path, reason: .tooDeep) }
        swift = SourceFile(
            path: path,
            text: bytes,
            tree: tree,
            module: manifests.module(of: path),
            isTestTarget: false
        )
    }
}

extension SourceFile {
    /// The types of the file, if it calls an item function.
    var keychainTypes: [String] {
        guard !ByteSearch.occurrences(of: Array("SecItem".utf8), in: text).isEmpty else { return [] }
        return SyntaxWalk.statements(tree.statements).compactMap { statement in
            guard case .type(let type) = statement.kind, type.name.count > 4 else { return nil }
            return Module.simpleName(type.name)
        }
    }
}
