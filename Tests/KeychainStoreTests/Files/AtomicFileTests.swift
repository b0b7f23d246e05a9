// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainHost
import KeychainTestSupport
import Testing

/// Files that are replaced as a whole, and what lies beside them.
struct AtomicFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String) throws {
        try Data(name.utf8).write(to: URL(fileURLWithPath: folder.path(of: name)))
    }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }

    /// Replaces a file by other contents, as a change of a keychain file does.
    private func change(_ name: String) throws {
        let path = folder.path(of: name)
        let mark = try #require(try AtomicFile.mark(path))
        #expect(try AtomicFile.replace(path, mark, with: Array("changed".utf8)) != nil)
    }

    /// What a process leaves that is ended while it writes.
    private static let remains = ".swift-keychain.\(String(repeating: "0f", count: 16)).new"

    @Test("a change removes no file that somebody else may have made, whatever it is called")
    func others() throws {
        let others = [
            "a.keychain.backup.new", "a.keychain.2026-11-27.new", "a.keychain.copy.new", "a.keychain.1y2p0ij32e8e7.new",
            ".swift-keychain.new", ".swift-keychain..new", ".swift-keychain.\(String(repeating: "0f", count: 15)).new",
            ".swift-keychain.\(String(repeating: "0f", count: 17)).new", Self.remains + ".new", "a" + Self.remains,
            ".swift-keychain.\(String(repeating: "0F", count: 16)).new", String(Self.remains.dropLast(4)),
        ]
        for name in others + ["a.keychain"] { try write(name) }
        let link = ".swift-keychain.\(String(repeating: "a", count: 32)).new"
        try FileManager.default.createSymbolicLink(atPath: folder.path(of: link), withDestinationPath: "a.keychain")
        let inner = ".swift-keychain.\(String(repeating: "b", count: 32)).new"
        try FileManager.default.createDirectory(atPath: folder.path(of: inner), withIntermediateDirectories: false)
        let before = try names()
        for _ in 0..<3 { try change("a.keychain") }
        #expect(try names() == before)
        for name in others { #expect(try String(contentsOfFile: folder.path(of: name), encoding: .utf8) == name) }
    }

    @Test("a change removes what a process left that was ended while it wrote a file, and no draft that is written")
    func remains() throws {
        for name in ["a.keychain", Self.remains] { try write(name) }
        let path = folder.path(of: "b")
        do {
            let draft = try FileDraft(of: path)
            let written = try names().subtracting(["a.keychain", Self.remains])
            #expect(written.count == 1)
            try change("a.keychain")
            #expect(try names() == written.union(["a.keychain"]))
            try draft.publish()
            #expect(try names() == ["a.keychain", "b"])
            try change("b")
            let dropped = try FileDraft(of: path)
            withExtendedLifetime(dropped) {}
        }
        #expect(try names() == ["a.keychain", "b"])
    }

    @Test("a file is replaced whose name is as long as names can be")
    func longName() throws {
        let name = String(repeating: "n", count: 255)
        try write(name)
        try change(name)
        #expect(try names() == [name])
        #expect(try String(contentsOfFile: folder.path(of: name), encoding: .utf8) == "changed")
    }

    @Test("many files of one folder are replaced at once, and none of their drafts is removed", arguments: 0..<20)
    func atOnce(_ trial: Int) async throws {
        let files = (0..<8).map { "\($0)" }
        for name in files { try write(name) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in files { group.addTask { for _ in 0..<20 { try change(name) } } }
            try await group.waitForAll()
        }
        #expect(try names() == Set(files))
    }
}
