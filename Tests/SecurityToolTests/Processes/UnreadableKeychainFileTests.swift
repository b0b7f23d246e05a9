// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// A keychain file that is there and may not be read: what is in it is never reported as missing.
struct UnreadableKeychainFileTests {
    private let user: ToolUser
    private let folder: String
    private let path: String

    /// What keeps the file from being read.
    enum Obstacle: String, CaseIterable {
        case modeOfFile
        case modeOfFolder
        case linkToItself

        var status: Int32 { self == .linkToItself ? 49 : 195 }
        var text: String {
            self == .linkToItself
                ? "The specified keychain is not a valid keychain file." : "Write permissions error."
        }
    }

    init() throws {
        user = try ToolUser()
        folder = user.home.path(of: "folder")
        path = "\(folder)/test.keychain"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for words in [
            ["create-keychain", "-p", "p", path], ["list-keychains", "-s", path],
            ["add-generic-password", "-a", "anna", "-s", "s1", "-w", "first", path],
        ] {
            #expect(try user.run(words).status == 0)
        }
    }

    private func put(_ obstacle: Obstacle) throws {
        switch obstacle {
        case .modeOfFile: try #require(chmod(path, 0) == 0)
        case .modeOfFolder: try #require(chmod(folder, 0) == 0)
        case .linkToItself:
            try #require(unlink(path) == 0)
            try #require(symlink("test.keychain", path) == 0)
        }
    }

    /// Runs a command as a user to whom file modes apply: on this thread, files are opened as the user 65534
    /// (setfsuid(2)).
    private func run(_ words: [String]) throws -> ToolProcess.Result {
        guard geteuid() == 0 else { return try ToolSession(user).run(words, input: nil) }
        let names = FileManager.default.enumerator(atPath: user.home.path)?.compactMap { $0 as? String } ?? []
        for path in [user.home.path] + names.map(user.home.path(of:)) {
            try #require(lchown(path, 65_534, 65_534) == 0)
        }
        // Not in the headers that Swift reads.
        let function = try #require(dlsym(nil, "setfsuid"))
        let setUser = unsafeBitCast(function, to: (@convention(c) (uid_t) -> Int32).self)
        _ = setUser(65_534)
        defer { _ = setUser(0) }
        return try ToolSession(user).run(words, input: nil)
    }

    @Test("a search that finds nothing says why, whether the file is listed or named", arguments: Obstacle.allCases)
    func search(_ obstacle: Obstacle) throws {
        try put(obstacle)
        defer { chmod(folder, 0o700) }
        for command in ["find-generic-password", "delete-generic-password"] {
            for name in [[], [path]] {
                let result = try run([command, "-s", "s1"] + name)
                #expect(result.status == obstacle.status, "\(command) \(name)")
                #expect(result.errorText.contains(obstacle.text), "\(result.errorText)")
                #expect(result.errorText.contains(path), "\(result.errorText)")
            }
        }
    }

    @Test("a delete that fails leaves the file in the search list")
    func failedDelete() throws {
        try put(.modeOfFolder)
        defer { chmod(folder, 0o700) }
        #expect(try run(["delete-keychain", path]).status == 195)
        chmod(folder, 0o700)
        #expect(try user.run(["list-keychains"]).outputText.contains(path))
        #expect(access(path, F_OK) == 0)
    }
}
