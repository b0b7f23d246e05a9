// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Testing

/// Folders that a keychain is not made in: refused before anything is made.
struct FolderTests {
    @Test(
        "the superuser makes nothing in the home of another user, unless it is named",
        .enabled(if: geteuid() == 0, "only the superuser can give a folder away"),
        arguments: ["", "/.local", "/.local/share"]
    )
    func foreignHome(_ existing: String) throws {
        let base = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: base.path + existing, withIntermediateDirectories: true)
        for folder in ["", "/.local", "/.local/share"].filter({ $0.count <= existing.count }) {
            #expect(chown(base.path + folder, 65_534, 65_534) == 0)
        }
        for environment in [["HOME": base.path], ["XDG_DATA_HOME": base.path + "/.local/share"]] {
            let location = try KeychainLocation(environment: { environment[$0] }, homeOfUser: { nil })
            let failure = #expect(throws: FileError.self) { try PrivateDirectory(location) }
            #expect(failure == .foreignHome(path: base.path + existing, owner: 65_534))
            let contents = FileManager.default.subpaths(atPath: base.path) ?? []
            #expect(contents.count == existing.split(separator: "/").count, "\(contents)")
        }
        let named = try KeychainLocation(environment: { [path = base.path(of: "keychain")] in
            $0 == "SWIFT_KEYCHAIN_HOME" ? path : nil
        })
        #expect(try PrivateDirectory(named).path == base.path(of: "keychain"))
    }

    @Test(
        "the superuser makes neither a file nor folders in a folder of another user, who could not use them",
        .enabled(if: geteuid() == 0, "only the superuser can give a folder away"),
        arguments: ["file", "folder/file"]
    )
    func foreignFile(_ name: String) throws {
        let base = try TemporaryFolder()
        #expect(chown(base.path, 65_534, 65_534) == 0)
        let failure = #expect(throws: FileError.self) {
            try AtomicFile.makeFolders(above: base.path(of: name))
            _ = try AtomicFile.create(base.path(of: name), [])
        }
        #expect(failure == .foreignHome(path: base.path, owner: 65_534))
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.path).isEmpty)
    }

    @Test("a lock file that something was written into is empty once it is locked")
    func writtenLock() throws {
        let base = try TemporaryFolder()
        let folder = try PrivateDirectory(KeychainLocation(path: base.path(of: "keychain")))
        let path = folder.path(of: "a.lock")
        let write = { FileManager.default.createFile(atPath: path, contents: Data("secret".utf8)) }
        #expect(write())
        #expect(chmod(path, 0o600) == 0)
        let lock = try FileLock("a.lock", in: folder, until: Deadline(milliseconds: 0))
        #expect(FileManager.default.contents(atPath: path) == Data())
        _ = consume lock
        #expect(write())
        FileLock.emptyAll(in: folder)
        #expect(FileManager.default.contents(atPath: path) == Data())
    }

    @Test(
        "of a folder of another user the error says whose it is, and does not advise to change its mode",
        .enabled(if: geteuid() == 0, "only the superuser can give a folder away")
    )
    func foreignFolder() throws {
        let base = try TemporaryFolder()
        #expect(chown(base.path, 65_534, 65_534) == 0)
        let failure = #expect(throws: FileError.self) { try PrivateDirectory(KeychainLocation(path: base.path)) }
        let text = failure.map { "\($0)" } ?? ""
        #expect(text.contains("65534") && !text.contains("chmod"), "\(text)")
    }

    @Test("a keychain is made in a home of one's own, and a folder that is there is used wherever it lies")
    func ownHome() throws {
        let base = try TemporaryFolder()
        let location = try KeychainLocation(environment: { [path = base.path] in $0 == "HOME" ? path : nil })
        let folder = try PrivateDirectory(location)
        if geteuid() == 0 { #expect(chown(base.path, 65_534, 65_534) == 0) }
        #expect(try PrivateDirectory(location) == folder)
    }

    @Test(
        "a path that SQLite finds too long is refused, and nothing of it is made",
        arguments: [481, 500, 1_000, 5_000]
    )
    func longPath(_ length: Int) throws {
        let base = try TemporaryFolder()
        var path = base.path
        while path.utf8.count + 101 < length { path += "/" + String(repeating: "x", count: 100) }
        path += "/" + String(repeating: "y", count: length - path.utf8.count - 1)
        let failure = #expect(throws: FileError.self) { try PrivateDirectory(KeychainLocation(path: path)) }
        #expect(failure.map { "\($0)" }?.contains("longer than 480 bytes") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.path).isEmpty)
    }

    @Test("the longest path that is taken holds a store")
    func longestPath() throws {
        let base = try TemporaryFolder()
        var path = base.path
        while path.utf8.count + 101 < 480 { path += "/" + String(repeating: "x", count: 100) }
        path += "/" + String(repeating: "y", count: 479 - path.utf8.count)
        #expect(path.utf8.count == 480)
        let folder = try PrivateDirectory(KeychainLocation(path: path))
        #expect(throws: FileError.self) { try FileTarget("\(path)/backup") }
        let store = try Store.open(in: folder, options: StoreOptions()) { () throws(KeychainError) in [1] }
        #expect(try store.keybag() == [1])
    }

    @Test("a variable that is not UTF-8 is refused, rather than taken for another path")
    func variableNotUTF8() async {
        await #expect(processExitsWith: .success) {
            for name in ["SWIFT_KEYCHAIN_HOME", "XDG_DATA_HOME", "HOME"] { try Self.expectRefusal(ofVariable: name) }
        }
    }

    private static func expectRefusal(ofVariable name: String) throws {
        #expect(setenv(name, "/tmp/\u{e9}", 1) == 0)
        let path = try ProcessEnvironment.path(name)
        #expect(path == "/tmp/\u{e9}")
        #expect(setenv(name, latin1("/tmp/"), 1) == 0)
        #expect(throws: FileError.unusablePath("/tmp/\u{FFFD}", "\(name) is not UTF-8")) {
            try KeychainLocation(environment: ProcessEnvironment.path)
        }
        #expect(unsetenv(name) == 0)
    }

    @Test("a path that leads to one that is not UTF-8 is refused, rather than taken for another one")
    func linkNotUTF8() throws {
        let base = try TemporaryFolder()
        let target = Self.latin1("\(base.path)/")
        try #require(mkdir(target, 0o700) == 0)
        defer { rmdir(target) }
        try #require(symlink(target, base.path(of: "link")) == 0)
        let failure = #expect(throws: FileError.self) {
            try PrivateDirectory(KeychainLocation(path: base.path(of: "link")))
        }
        #expect(failure.map { "\($0)" }?.contains("not UTF-8") == true)
    }

    /// A text and an é in ISO 8859-1.
    private static func latin1(_ text: String) -> [CChar] {
        text.utf8CString.dropLast() + [CChar(bitPattern: 0xE9), 0]
    }
}
