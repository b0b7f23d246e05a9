// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

/// `keychainctl verify` by a user whose keychain the system service owns.
@Suite(
    .enabled(if: SystemServiceFolder.isPossible, "only root runs programs as other users"),
    .timeLimit(.minutes(10))
)
struct SystemVerifyTests {
    private static let anna: uid_t = 1

    @Test("a manifest counts where the service looks for it and can read it, and the service's record is its own")
    func verify() throws {
        let service = try SystemServiceFolder()
        let anna = try service.shell(of: Self.anna)
        let home = try #require(anna.environment["HOME"])
        let (tool, key) = (service.path(of: "tool"), service.path(of: "team.pem"))
        let root = Shell(environment: ["HOME": service.path(of: ""), "PATH": "/usr/bin:/bin"])
        func perform(_ words: String...) throws {
            let outcome = try root.run("keychainctl", words)
            #expect(outcome.status == 0, "\(outcome)")
        }
        func verify(_ path: String) throws -> Shell.Outcome { try anna.run("keychainctl", ["verify", path]) }
        try InstalledProgram.copy(DaemonFolder.program("security"), to: tool)
        try perform("team", "create", key)

        // In the user's own folder, where only a daemon of the user looks.
        let digest = try root.run("/usr/bin/sha256sum", [tool]).output.prefix { $0 != " " }
        let own = "\(home)/.config/swift-keychain/manifests"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try perform("sign", "--team-key", key, "--output", "\(own)/\(digest).keychain-manifest", tool)
        try Workshop().run(#"chown -R "$1" "$2""#, "\(Self.anna)", home)
        let before = try verify(tool)
        #expect(before.status == 0, "\(before)")
        let enabled = try anna.control("service enable --system --no-passcode --socket \(service.socket.path)")
        #expect(enabled.status == 0, "\(enabled)")
        let after = try verify(tool)
        #expect(after.status == 1 && after.output.contains("anonymous"), "\(after)")
        #expect(after.output.contains("the system service owns the keychain"), "\(after)")

        try perform("sign", "--team-key", key, tool)
        let beside = try verify(tool)
        #expect(beside.status == 0, "\(beside)")
        #expect(beside.output.contains("it alone knows"), "\(beside)")

        #expect(chmod("\(tool).keychain-manifest", 0o600) == 0 && chown("\(tool).keychain-manifest", Self.anna, 0) == 0)
        let unreadable = try verify(tool)
        #expect(
            unreadable.status == 1 && unreadable.output.contains("the system service cannot read it"),
            "\(unreadable)"
        )

        // In a folder that no other user can enter.
        try Workshop().run(#"cp "$1" "$2"; chown "$3" "$2""#, tool, "\(home)/tool", "\(Self.anna)")
        let hidden = try verify("\(home)/tool")
        #expect(hidden.status == 1 && hidden.output.contains("cannot enter the folder \(home)"), "\(hidden)")
    }
}
