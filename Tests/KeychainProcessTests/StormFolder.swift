// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Testing

/// A folder for a keychain, and a look at what lies in it through a keychain that was not there before.
struct StormFolder {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(prefix: "keychain-storm") }

    /// The folder of the keychain itself, which does not exist at first.
    var path: String { folder.path(of: "keychain") }

    /// A path beside it.
    func path(beside name: String) -> String { folder.path(of: name) }

    func start(busyTimeoutMilliseconds: Int32 = 120_000, likeDaemon: Bool = false) throws -> StormProcess {
        try StormProcess(
            path,
            in: folder,
            busyTimeoutMilliseconds: busyTimeoutMilliseconds,
            likeDaemon: likeDaemon
        )
    }

    /// A new folder, and a process that works in it and has done some commands.
    static func started(
        _ commands: String...,
        likeDaemon: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (folder: StormFolder, process: StormProcess) {
        let folder = try StormFolder()
        let process = try folder.start(likeDaemon: likeDaemon)
        for command in commands { #expect(try process.ask(command).isDone, sourceLocation: sourceLocation) }
        return (folder, process)
    }

    func keychain(busyTimeoutMilliseconds: Int32 = 120_000) -> EmbeddedKeychain { Self.keychain(at: path) }

    static func keychain(at path: String) -> EmbeddedKeychain {
        // As much work as the processes of the storm give a passcode.
        var device = DeviceOptions()
        device.passwordWork = .testing
        if let chip = try? Chip.shared() { device.rootKeys = RootKeySources(RootKeyFile(), chip) }
        let options = StoreOptions(busyTimeoutMilliseconds: 120_000)
        return EmbeddedKeychain(at: KeychainLocation(path: path), options: options, device: device)
    }

    /// The store behind the keychain's back.
    func raw() throws -> RawStore { try RawStore(path: "\(path)/keychain.db") }

    /// The files in the keychain's folder; `nil` when there is no folder.
    var fileNames: [String]? {
        get throws {
            guard access(path, F_OK) == 0 else { return nil }
            return try FileManager.default.contentsOfDirectory(atPath: path)
        }
    }

    static func lines(of path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Every item, through a fresh keychain, after its check: account, label, group and secret.
    func items() throws -> [Found] { try Self.items(at: path) }

    static func items(at path: String) throws -> [Found] { try items(of: keychain(at: path)) }

    static func items(of keychain: EmbeddedKeychain) throws -> [Found] {
        let report = try keychain.check()
        #expect(report.isSound, "\(report)")
        let query: PropertyDictionary = [
            "class": .string("genp"),
            PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
            PropertyKey.returnAttributes: .boolean(true),
            PropertyKey.returnData: .boolean(true),
        ]
        let client = Client(accessGroups: ["STORM.a", "STORM.b"])
        let answer = Result { () throws(KeychainError) in
            try keychain.perform(KeychainRequest(.copyMatching(query), client: client))
        }
        if case .failure(let error) = answer, error.status == .itemNotFound { return [] }
        guard case .list(let values) = try answer.get() else { return [] }
        return values.compactMap(Found.init)
    }
}

/// An item as a reader sees it.
struct Found: Hashable {
    let account: String
    let label: String
    let group: String
    let hasRightSecret: Bool

    init?(_ value: ResultValue) {
        guard case .dictionary(let entries) = value, case .string(let account)? = entries["acct"],
            case .string(let label)? = entries["labl"], case .string(let group)? = entries["agrp"],
            case .data(let secret)? = entries[PropertyKey.valueData]
        else { return nil }
        self.account = account
        self.label = label
        self.group = group
        hasRightSecret = secret == SecretBytes(Array("the secret of \(account)".utf8))
    }
}

/// Checks that what was acknowledged is there, with the right secret, and that no account is there twice.
func expectKept(_ acknowledged: [String], in items: [Found], sourceLocation: SourceLocation = #_sourceLocation) {
    let accounts = Set(items.map(\.account))
    let lost = acknowledged.filter { !accounts.contains($0) }
    #expect(lost.isEmpty, "lost: \(lost.prefix(5))", sourceLocation: sourceLocation)
    #expect(accounts.count == items.count, "an account is there twice", sourceLocation: sourceLocation)
    #expect(items.allSatisfy { $0.hasRightSecret }, "a secret is wrong", sourceLocation: sourceLocation)
}
