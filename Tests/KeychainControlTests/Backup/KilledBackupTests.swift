// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainTestSupport
import Testing

/// `keychainctl backup` in processes that are killed at any moment.
struct KilledBackupTests {
    private let folder: TemporaryFolder
    private var backups: String { folder.path(of: "backups") }
    private var home: String { folder.path(of: "keychain") }

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path(of: "backups"), withIntermediateDirectories: false)
        try add(to: EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "keychain"))), 0..<200)
    }

    private func add(to keychain: EmbeddedKeychain, _ numbers: Range<Int>) throws {
        for number in numbers {
            let item: PropertyDictionary = [
                "class": .string("genp"), "svce": .string("svc"), "acct": .string("\(number)"),
                PropertyKey.valueData: .data(SecretBytes([UInt8](repeating: 7, count: 2_000))),
            ]
            _ = try keychain.perform(KeychainRequest(.add(item), client: .person))
        }
    }

    private func count(in home: String) throws -> Int {
        let query: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("svc"), "m_Limit": .string("m_LimitAll"),
            "r_Attributes": .boolean(true),
        ]
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: home))
        do throws(KeychainError) {
            let answer = try keychain.perform(KeychainRequest(.copyMatching(query), client: .person))
            guard case .list(let values) = answer else { return 1 }
            return values.count
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return 0
        }
    }

    private func run(_ words: [String], input: String = "") throws -> (Int32, String) {
        try ControlProcess.run(["keychainctl", "backup"] + words, folder, input: input)
    }

    /// Starts `keychainctl backup` and kills it as soon as a condition holds, or after its end.
    private func kill(_ words: [String], home: String, input: String = "", when condition: () -> Bool) throws {
        let process = Process()
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = bundle.deletingLastPathComponent().appendingPathComponent("keychainctl")
        process.arguments = ["backup"] + words
        process.environment = [
            "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "SWIFT_KEYCHAIN_HOME": home, "PATH": "/usr/bin:/bin",
        ]
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        pipe.fileHandleForWriting.write(Data(input.utf8))
        try pipe.fileHandleForWriting.close()
        while process.isRunning, !condition() { usleep(200) }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func names(_ prefix: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: backups)) ?? [])
            .filter { $0.hasPrefix(prefix) && !$0.hasPrefix(".keychain-backups-") }
    }

    @Test("a scheduled run that is killed leaves whole backups only, and the next one clears up")
    func scheduledRun() throws {
        let (status, output) = try run(["schedule", "--to", backups, "--keep", "2", "--secret-fd", "1"])
        try #require(status == 0, "\(output)")
        let secret = try #require(output.split(separator: "\n").first { $0.utf8.count == 39 })
        // While the file grows, or after it has its name.
        let size = Int.random(in: 0...1_000_000)
        try kill(["run-scheduled"], home: home) {
            names(".").contains { name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: "\(backups)/\(name)")
                return (attributes?[.size] as? Int ?? -1) >= size
            }
        }
        let newest = try #require(names("keychain-").max())
        let verified = try run(["verify", "--secret-stdin", "\(backups)/\(newest)"], input: "\(secret)\n")
        #expect(verified.0 == 0, "\(size): \(verified)")
        let last = try run(["run-scheduled"])
        #expect(last.0 == 0, "\(last)")
        #expect(names(".").isEmpty && names("keychain-").count == 2)
        #expect(try run(["status"]).0 == 0)
    }

    @Test("a merge that is killed has added every item of the backup or none, and can be repeated")
    func merge() throws {
        let file = folder.path(of: "backup")
        let secret = "secret\n"
        let created = try run(["create", "--secret-stdin", file], input: secret)
        try #require(created.0 == 0, "\(created)")
        let target = folder.path(of: "target")
        try add(to: EmbeddedKeychain(at: KeychainLocation(path: target)), 200..<201)
        let words = ["restore", "--merge", "--secret-stdin", file]
        let log = "\(target)/keychain.db-wal"
        let size = Int.random(in: 1...1_000_000)
        try kill(words, home: target, input: secret) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: log)
            return (attributes?[.size] as? Int ?? 0) >= size
        }
        #expect([1, 201].contains(try count(in: target)), "\(size)")
        try kill(words, home: target, input: secret) { false }
        #expect(try count(in: target) == 201)
    }
}
