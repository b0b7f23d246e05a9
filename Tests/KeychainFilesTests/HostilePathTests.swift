// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainFiles

/// Paths that lead to anything but a keychain: a clear error, and nobody waits.
@Suite(.timeLimit(.minutes(10)))
struct HostilePathTests {
    private let folder: TemporaryFolder
    private let files = KeychainFiles.forTesting()
    private let password = SecretBytes(Array("correct horse".utf8))

    init() throws {
        folder = try TemporaryFolder()
        try #require(mkfifo(folder.path(of: "pipe"), 0o600) == 0)
        try #require(mkdir(folder.path(of: "folder"), 0o700) == 0)
        try #require(symlink("loop", folder.path(of: "loop")) == 0)
        try #require(symlink("nowhere/else", folder.path(of: "dangling")) == 0)
        try #require(symlink("pipe", folder.path(of: "link")) == 0)
        for (name, text) in [("empty", ""), ("text", "SQLite format 3"), ("json", "{}")] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(of: name)))
        }
        try #require(truncate(folder.path(of: "empty"), 0) == 0)
        try Data().write(to: URL(fileURLWithPath: folder.path(of: "huge")))
        try #require(truncate(folder.path(of: "huge"), 1 << 40) == 0)
        try Data().write(to: URL(fileURLWithPath: folder.path(of: "zeros")))
        try #require(truncate(folder.path(of: "zeros"), 1 << 20) == 0)
    }

    private func status(_ action: KeychainFileCommand.Action, _ path: String) -> Status? {
        do {
            _ = try files.perform(.files(.keychain(path: path, action)))
            return nil
        } catch {
            return error.status
        }
    }

    @Test("two files whose names differ in their bytes alone are two keychains, whichever was opened first")
    func canonicallyEquivalent() throws {
        let paths = ["caf\u{E9}", "cafe\u{301}"].map { folder.path(of: "\($0).keychain") }
        #expect(paths[0] == paths[1], "Swift's strings are equal")
        for (path, service) in zip(paths, ["first", "second"]) {
            try files.files.create(at: path, password: password)
            let attributes: [String: PropertyValue] = ["icmt": .string(service)]
            let access = ItemAccess(descriptor: "", trustedApplications: nil)
            _ = try files.files.add(
                .genericPassword,
                attributes: attributes,
                secret: password,
                access: access,
                at: path
            )
        }
        for (path, service) in zip(paths, ["first", "second"]) {
            #expect(try files.files.items(at: path).map { $0.attributes["icmt"] } == [.string(service)])
        }
        try files.files.delete(at: paths[1])
        #expect(access(paths[0], F_OK) == 0)
        #expect(access(paths[1], F_OK) != 0)
        #expect(try files.files.items(at: paths[0]).count == 1)
    }

    @Test("whether keys are held is known without a look at a file, whose file system may not respond")
    func removed() throws {
        let path = folder.path(of: "a.keychain")
        try files.files.create(at: path, password: password)
        #expect(files.holdsUnlockedKeys)
        try FileManager.default.removeItem(atPath: path)
        #expect(files.holdsUnlockedKeys, "no file is looked at")
        files.lockRemovedInBackground()
        #expect(eventually("it is locked") { !files.holdsUnlockedKeys })
    }

    @Test("a removed file is noticed while a file system with other keychains does not respond")
    func removedBesideStalled() throws {
        // Every look at a file there asks the file system.
        let options = ["-o", "attr_timeout=0,entry_timeout=0"]
        let mount = try FUSEMount(of: folder.path(of: "folder"), at: folder.path(of: "mount"), options: options)
        let stalled = try (0..<4).map { number in
            let path = folder.path(of: "mount/\(number).keychain")
            try files.files.create(at: path, password: password)
            return path
        }
        let path = folder.path(of: "a.keychain")
        try files.files.create(at: path, password: password)
        #expect(mount.pause())
        try FileManager.default.removeItem(atPath: path)
        let isNoticed = eventually("it is locked") {
            files.lockRemovedInBackground()
            return !files.unlockedPaths.contains(path)
        }
        let isStalled = mount.isPaused
        mount.resume()
        #expect(isNoticed && isStalled)
        #expect(Set(files.unlockedPaths) == Set(stalled))
    }

    @Test(
        "What is no keychain is named, by every command",
        arguments: [
            ("pipe", .invalidKeychain), ("link", .invalidKeychain), ("folder", .invalidKeychain),
            ("empty", .invalidKeychain), ("text", .invalidKeychain), ("json", .invalidKeychain),
            ("huge", .invalidKeychain), ("zeros", .invalidKeychain), ("loop", .invalidKeychain),
            ("dangling", .noSuchKeychain), ("missing", .noSuchKeychain), ("text/below", .noSuchKeychain),
            (String(repeating: "x", count: 300), .noSuchKeychain), ("/dev/zero", .invalidKeychain),
            ("/dev/tty", .invalidKeychain), ("/proc/self/mem", .invalidKeychain),
            ("/", .invalidKeychain), ("/proc/self/cwd", .invalidKeychain),
        ] as [(String, Status)]
    )
    func noKeychain(_ name: String, _ expected: Status) {
        let path = name.hasPrefix("/") ? name : folder.path(of: name)
        func isThere() -> Bool {
            var status = stat()
            return lstat(path, &status) == 0
        }
        let before = isThere()
        for action in [
            .status, .items, .delete, .unlock(password: password), .changePassword(from: password, to: password),
            .remove(.zero), .setSettings(KeychainFileSettings()),
        ] as [KeychainFileCommand.Action] {
            #expect(status(action, path) == expected, "\(action)")
        }
        #expect(isThere() == before, "nothing was made or removed")
    }

    @Test(
        "Nothing that is there is written over",
        arguments: ["pipe", "link", "folder", "empty", "text", "huge", "/dev/zero", "/proc/self/mem"]
    )
    func creation(_ name: String) {
        let path = name.hasPrefix("/") ? name : folder.path(of: name)
        let status = status(.create(password: password), path)
        #expect(status == .duplicateKeychain || status == .invalidKeychain)
    }

    @Test("A path that is not absolute, or has a zero byte, is no path", arguments: ["", "a", "./a", "/a\0b"])
    func paths(_ path: String) {
        #expect(status(.status, path) == .parameter)
        #expect(status(.create(password: password), path) == .parameter)
    }

    @Test("A keychain that is named by a link has one lock state, and stays where it is")
    func links() throws {
        let path = folder.path(of: "real.keychain")
        let link = folder.path(of: "link.keychain")
        try files.files.create(at: path, password: password)
        try #require(symlink("real.keychain", link) == 0)
        let access = ItemAccess(descriptor: "", trustedApplications: nil)
        let item = try files.files.add(.genericPassword, attributes: [:], secret: password, access: access, at: link)
        #expect(try files.files.secret(of: item.identifier, at: path) == password)
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        try files.files.lock(at: link)
        #expect(try files.files.status(at: path).isLocked)
    }

    @Test("A file that is replaced while it is unlocked is another keychain, which is locked")
    func replaced() throws {
        let path = folder.path(of: "a.keychain")
        let other = folder.path(of: "b.keychain")
        for path in [path, other] { try files.files.create(at: path, password: password) }
        #expect(rename(other, path) == 0)
        #expect(try files.files.status(at: path).isLocked)
        #expect(status(.status, other) == .noSuchKeychain)
    }

    @Test("Of two daemons that change one keychain at the same time, none loses what the other was told is done")
    func twoDaemons() throws {
        let path = folder.path(of: "shared.keychain")
        try files.files.create(at: path, password: password)
        let group = DispatchGroup()
        let results = (0..<2).map { _ in Results() }
        for (number, result) in results.enumerated() {
            DispatchQueue.global().async(group: group) { [path, password] in
                let own = KeychainFiles.forTesting()
                let access = ItemAccess(descriptor: "", trustedApplications: nil)
                for item in 0..<40 {
                    // What the other one writes locks the keychain here.
                    try? own.files.unlock(at: path, password: password)
                    let name = PropertyValue.string("\(number).\(item)")
                    let added = try? own.files.add(
                        .genericPassword,
                        attributes: ["acct": name],
                        secret: password,
                        access: access,
                        at: path
                    )
                    if added != nil { result.names.append(name) }
                }
            }
        }
        group.wait()
        let names = results.flatMap(\.names)
        #expect(results.allSatisfy { !$0.names.isEmpty })
        let there = try KeychainFiles.forTesting().files.items(at: path).compactMap { $0.attributes["acct"] }
        #expect(Set(there) == Set(names))
        #expect(there.count == names.count)
    }

    /// What one of several threads was told is done; read when it has ended.
    private final class Results: @unchecked Sendable {
        var names: [PropertyValue] = []
    }

    @Test("A lock that another program holds on the file is waited for, not for ever")
    func heldLock() throws {
        let path = folder.path(of: "held.keychain")
        try files.files.create(at: path, password: password)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(flock(descriptor, LOCK_EX) == 0)
        defer { close(descriptor) }
        #expect(status(.setSettings(KeychainFileSettings()), path) == .notAvailable)
    }

    @Test("However many keychains lock by themselves, one thread waits for that, also when their files are gone")
    func oneTimer() throws {
        var paths: [String] = []
        for number in 0..<20 {
            let path = folder.path(of: "\(number).keychain")
            paths.append(path)
            try files.files.create(at: path, password: password)
            // Each of them sooner than the ones before.
            let interval = 3600 - 60 * number
            try files.files.setSettings(KeychainFileSettings(locksOnSleep: false, lockInterval: interval), at: path)
        }
        for path in paths.prefix(10) { try FileManager.default.removeItem(atPath: path) }
        #expect(try Self.threads("keychain-idle") == 1)
        let soon = folder.path(of: "soon.keychain")
        let others = KeychainFiles.forTesting()
        try others.files.create(at: soon, password: password)
        try others.files.setSettings(KeychainFileSettings(locksOnSleep: false, lockInterval: 1), at: soon)
        #expect(eventually("it has locked") { !others.holdsUnlockedKeys })
        for path in paths.suffix(10) { #expect(try !files.files.status(at: path).isLocked) }
        #expect(try Self.threads("keychain-idle") == 1)
    }

    /// How many threads of this process have a name (proc(5), `/proc/PID/task/TID/comm`).
    private static func threads(_ name: String) throws -> Int {
        let folder = "/proc/self/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { thread in
            (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)) == "\(name)\n"
        }
    }

    @Test("A keychain locks by itself after its interval, and holds no keys then, though nobody asks for it")
    func interval() throws {
        let path = folder.path(of: "timed.keychain")
        try files.files.create(at: path, password: password)
        try files.files.setSettings(KeychainFileSettings(locksOnSleep: false, lockInterval: 5), at: path)
        #expect(files.holdsUnlockedKeys)
        #expect(eventually("it has locked") { !files.holdsUnlockedKeys })
        #expect(try files.files.status(at: path).isLocked)
    }
}
