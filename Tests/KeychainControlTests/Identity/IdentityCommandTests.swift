// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainIdentity
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl team`, `sign` and `verify`, as a packager uses them one after the other.
struct IdentityCommandTests {
    private let folder: TemporaryFolder
    private let tool: String
    /// The program as it was built, which looks for libraries beside itself.
    private let built: String

    init() throws {
        folder = try TemporaryFolder()
        tool = folder.path(of: "tool")
        let helper = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        built = helper.appendingPathComponent("signed-program").path
        try InstalledProgram.copy(built, to: tool)
    }

    private var key: String { folder.path(of: "team.pem") }

    private func run(_ arguments: String...) throws -> Control.Outcome {
        try Control(device: FakeDevice()).run(arguments)
    }

    private func createTeam() throws -> TeamIdentifier {
        let outcome = try run("team", "create", key)
        try #require(outcome.status == 0, "\(outcome.error)")
        let shown = try run("team", "show", key).output
        return try #require(shown.split(whereSeparator: \.isWhitespace).compactMap { TeamIdentifier($0) }.first)
    }

    private func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(of: name)))
        return folder.path(of: name)
    }

    @Test("a program that is signed is who it was signed as; a changed one is not")
    func signAndVerify() throws {
        let team = try createTeam()
        #expect(try run("verify", tool).status == 1)
        let signed = try run("sign", "--team-key", key, "--identifier", "com.example.tool", tool)
        #expect(signed.status == 0, "\(signed.error)")
        let verified = try run("verify", tool)
        #expect(verified.status == 0, "\(verified.output)")
        #expect(verified.output.contains("\(team).com.example.tool, signed for team \(team)"), "\(verified.output)")
        let (status, output) = try ControlProcess.run(["sh", "-c", "printf x >> \"$1\"", "sh", tool], folder)
        #expect(status == 0, "\(output)")
        let changed = try run("verify", tool)
        #expect(changed.status == 1)
        #expect(changed.output.contains("another version"), "\(changed.output)")
    }

    @Test("entitlements name the groups, in their order, with the team for the prefix")
    func entitlements() throws {
        let team = try createTeam()
        let file = try write(
            """
            <plist version="1.0"><dict>
            <key>keychain-access-groups</key>
            <array><string>$(AppIdentifierPrefix)com.example.shared</string></array>
            </dict></plist>
            """,
            to: "tool.entitlements"
        )
        let signed = try run(
            "sign",
            "--team-key",
            key,
            "--entitlements",
            file,
            "--identifier",
            "com.example.tool",
            "--serial",
            "7",
            tool
        )
        #expect(signed.status == 0, "\(signed.error)")
        let output = try run("verify", "--json", tool).output
        let value = try JSONParser.parse(output.utf8)
        #expect(value["kind"].string == "signed")
        #expect(value["name"].string == team.description)
        #expect(value["applicationIdentifier"].string == "\(team).com.example.tool")
        #expect(
            value["groups"].elements?.compactMap(\.string) == [
                "\(team).com.example.shared", "\(team).com.example.tool",
            ]
        )
    }

    @Test("a program is allowed to generate code by an option, or by the entitlement that Apple's systems have for it")
    func generatedCode() throws {
        _ = try createTeam()
        let file = try write(
            """
            <plist version="1.0"><dict><key>com.apple.security.cs.allow-jit</key><true/></dict></plist>
            """,
            to: "tool.entitlements"
        )
        for (words, isAllowed) in [([], false), (["--jit"], true), (["--entitlements", file], true)] {
            let signed = try Control(device: FakeDevice()).run(["sign", "--team-key", key] + words + [tool])
            #expect(signed.status == 0, "\(signed.error)")
            let text = try Data(contentsOf: URL(fileURLWithPath: tool + ProgramManifest.fileSuffix))
            #expect(try ProgramManifest(SignedDocument(text: text)).isJIT == isAllowed)
        }
    }

    @Test("a program may be started with LD_PRELOAD by an option, or by the entitlement of Apple's systems for that")
    func preload() throws {
        _ = try createTeam()
        let entitlement = "com.apple.security.cs.allow-dyld-environment-variables"
        let file = try write(
            "<plist version=\"1.0\"><dict><key>\(entitlement)</key><true/></dict></plist>",
            to: "tool.entitlements"
        )
        for (words, isAllowed) in [([], false), (["--preload"], true), (["--entitlements", file], true)] {
            let signed = try Control(device: FakeDevice()).run(["sign", "--team-key", key] + words + [tool])
            #expect(signed.status == 0, "\(signed.error)")
            let text = try Data(contentsOf: URL(fileURLWithPath: tool + ProgramManifest.fileSuffix))
            let manifest = try ProgramManifest(SignedDocument(text: text))
            #expect(manifest.allowsPreload == isAllowed && !manifest.isJIT)
        }
    }

    @Test("a program's system calls may be filtered by an option")
    func filters() throws {
        _ = try createTeam()
        for (words, isAllowed) in [([], false), (["--seccomp"], true)] {
            let signed = try Control(device: FakeDevice()).run(["sign", "--team-key", key] + words + [tool])
            #expect(signed.status == 0 && signed.remarks.isEmpty, "\(signed.error)\(signed.remarks)")
            let text = try Data(contentsOf: URL(fileURLWithPath: tool + ProgramManifest.fileSuffix))
            let manifest = try ProgramManifest(SignedDocument(text: text))
            #expect(manifest.allowsFilters == isAllowed && !manifest.allowsPreload)
        }
    }

    @Test("a program that looks for libraries beside itself is signed with a warning, which says what to do")
    func libraryFolders() throws {
        _ = try createTeam()
        let (status, output) = try ControlProcess.run(["cp", built, tool], folder)
        try #require(status == 0, "\(output)")
        let signed = try run("sign", "--team-key", key, tool)
        #expect(signed.status == 0)
        #expect(signed.remarks.contains("\(tool) is linked to look for libraries in $ORIGIN"), "\(signed.remarks)")
        #expect(signed.remarks.contains("--disable-local-rpath"), "\(signed.remarks)")
        let verified = try run("verify", tool)
        #expect(verified.status == 1)
        #expect(verified.output.contains("is linked to look for libraries in $ORIGIN"), "\(verified.output)")
        #expect(try run("sign", "--team-key", key, "--preload", tool).remarks.isEmpty)
        let allowed = try run("verify", tool)
        #expect(allowed.status == 0, "\(allowed.output)")
    }

    @Test(
        "entitlements that a signature cannot give are refused",
        arguments: [
            "<string>group.com.example</string>", "<string>ABCDE12345.com.example</string>", "<string>*</string>",
            "<string>$(UNKNOWN).com.example</string>",
        ]
    )
    func refusedEntitlements(_ group: String) throws {
        _ = try createTeam()
        let file = try write(
            "<plist version=\"1.0\"><dict><key>keychain-access-groups</key><array>\(group)</array></dict></plist>",
            to: "tool.entitlements"
        )
        let signed = try run("sign", "--team-key", key, "--entitlements", file, tool)
        #expect(signed.status == 1)
        #expect(access(tool + ProgramManifest.fileSuffix, F_OK) != 0, "nothing is written")
    }

    @Test("a script and a shell are not signed")
    func notSigned() throws {
        _ = try createTeam()
        let script = try write("#!/bin/sh\n", to: "script")
        #expect(try run("sign", "--team-key", key, script).status == 1)
        #expect(try run("sign", "--team-key", key, "/bin/sh").status == 1)
        #expect(try run("verify", "/bin/sh").status == 1)
    }

    @Test("a private key is its owner's alone, is not made twice, and is never shown")
    func keyFile() throws {
        _ = try createTeam()
        var status = stat()
        #expect(stat(key, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try run("team", "create", key).status == 1)
        let secret = try String(contentsOfFile: key, encoding: .utf8).split(separator: "\n")[1]
        let shown = try run("team", "show", key).output
        #expect(!shown.contains(secret))
        chmod(key, 0o644)
        let exposed = try run("sign", "--team-key", key, tool)
        #expect(exposed.status == 1)
        #expect(exposed.error.contains("open to other users"), "\(exposed.error)")
    }

    @Test("an incomplete file of a private key is refused by name, and neither used nor shown nor replaced")
    func incompleteKeyFile() throws {
        _ = try createTeam()
        let whole = try Data(contentsOf: URL(fileURLWithPath: key))
        let secret = String(decoding: whole, as: UTF8.self).split(separator: "\n")[1]
        let newKey = folder.path(of: "new.pem")
        for count in [0, 1, 27, 28, 60, whole.count - 26, whole.count - 2] {
            try whole.prefix(count).write(to: URL(fileURLWithPath: key))
            for words in [
                ["sign", "--team-key", key, tool], ["team", "show", key],
                ["team", "rotate", "--team-key", key, newKey],
            ] {
                let outcome = try Control(device: FakeDevice()).run(words)
                #expect(outcome.status == 1 && outcome.error.contains(key), "\(count): \(outcome)")
                #expect(!outcome.error.contains(secret.prefix(24)), "\(count)")
            }
            #expect(access(tool + ProgramManifest.fileSuffix, F_OK) != 0 && access(newKey, F_OK) != 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: key)) == whole.prefix(count))
        }
    }

    @Test("what the new key of a team signs is the same application; the old one can be revoked")
    func rotateAndRevoke() throws {
        let team = try createTeam()
        let newKey = folder.path(of: "new.pem")
        let rotated = try run("team", "rotate", "--team-key", key, newKey)
        #expect(rotated.status == 0, "\(rotated.error)")
        #expect(try run("sign", "--team-key", newKey, tool).status == 0)
        #expect(try run("verify", tool).output.contains("signed for team \(team)"))
        let shown = try run("team", "show", key).output.split(whereSeparator: \.isWhitespace)
        let publicKey = try #require(shown.first { TeamPublicKey(String($0)) != nil })
        let revoked = try run("team", "revoke", "--team-key", newKey, "--key", String(publicKey))
        #expect(revoked.status == 0, "\(revoked.error)")
        #expect(revoked.output.contains("its successor is"), "\(revoked.output)")
        #expect(revoked.remarks.contains("team publish"), "\(revoked.remarks)")
        let refused = try run("sign", "--team-key", key, tool)
        #expect(
            refused.status == 1 && refused.error.contains("no longer"),
            "the statement is beside another key: \(refused)"
        )
        #expect(try run("sign", "--team-key", newKey, tool).status == 0)
        #expect(try run("verify", tool).status == 0)
    }

    @Test("a public key that begins with a hyphen, as one of 64 does, can be revoked")
    func revokeKeyWithHyphen() throws {
        var old = TeamKey()
        while !old.publicKey.description.hasPrefix("-") { old = TeamKey() }
        let pem = old.pem.withUnsafeBytes { Data($0) }
        try #require(
            FileManager.default.createFile(atPath: key, contents: pem, attributes: [.posixPermissions: 0o600])
        )
        let newKey = folder.path(of: "new.pem")
        #expect(try run("team", "rotate", "--team-key", key, newKey).status == 0)
        let revoked = try run("team", "revoke", "--team-key", newKey, "--key", old.publicKey.description)
        #expect(revoked.status == 0, "\(revoked.error)")
        #expect(revoked.output.contains("the key \(old.publicKey) is revoked"), "\(revoked.output)")
    }

    @Test("statements are published for daemons, once, and only those that agree with what is published")
    func publish() throws {
        let team = try createTeam()
        func rotate(_ name: String) throws -> String {
            let rotated = try run("team", "rotate", "--team-key", key, folder.path(of: name))
            #expect(rotated.status == 0, "\(rotated.error)")
            return folder.path(of: name + ".statements")
        }
        let target = folder.path(of: "published")
        let file = "\(target)/\(team).keychain-statement"
        func publish(_ path: String) throws -> Control.Outcome { try run("team", "publish", "--output", target, path) }
        #expect(try publish(folder.path(of: "none.statements")).status == 1)
        #expect(access(target, F_OK) != 0 || access(file, F_OK) != 0)
        let first = try rotate("first.pem")
        for _ in 0..<2 {
            let published = try publish(first)
            #expect(published.status == 0 && published.output.contains("1 statement of team \(team)"), "\(published)")
        }
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o644)
        let shown = try run("team", "show", key).output.split(whereSeparator: \.isWhitespace)
        let publicKey = String(try #require(shown.first { TeamPublicKey(String($0)) != nil }))
        #expect(try run("team", "revoke", "--team-key", folder.path(of: "first.pem"), "--key", publicKey).status == 0)
        #expect(try publish(first).output.contains("2 statements"))

        // A thief of the first key, who has not seen that, revokes it as well.
        let elsewhere = folder.path(of: "elsewhere")
        #expect(mkdir(elsewhere, 0o700) == 0)
        try FileManager.default.copyItem(atPath: key, toPath: "\(elsewhere)/stolen.pem")
        let revoked = try run("team", "revoke", "--team-key", "\(elsewhere)/stolen.pem", "--key", publicKey)
        #expect(revoked.status == 0, "\(revoked.error)")
        let refused = try publish("\(elsewhere)/stolen.pem.statements")
        #expect(refused.status == 1 && refused.error.contains("at odds with \(file)"), "\(refused)")
        #expect(try publish(first).output.contains("2 statements"))
    }

    @Test("versions of an application can be revoked by their serial")
    func revokeSerials() throws {
        let team = try createTeam()
        let revoked = try run(
            "team",
            "revoke",
            "--team-key",
            key,
            "--application",
            "\(team).tool",
            "--below",
            "8"
        )
        #expect(revoked.status == 0, "\(revoked.error)")
        #expect(try run("sign", "--team-key", key, "--serial", "7", tool).status == 0)
        let verified = try run("verify", tool)
        #expect(verified.status == 1)
        #expect(verified.output.contains("revoked those below 8"), "\(verified.output)")
        #expect(try run("sign", "--team-key", key, "--serial", "8", tool).status == 0)
        #expect(try run("verify", tool).status == 0)
    }

    @Test("a running process is looked at as the daemon would")
    func runningProcess() throws {
        let outcome = try run("verify", "--pid", "\(getpid())")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("process \(getpid())"), "\(outcome.output)")
        #expect(try run("verify", "--pid", "0").status == 1)
    }

    @Test(
        "arguments that say too little or too much are refused",
        arguments: [
            ["verify"], ["verify", "--pid", "1", "tool"], ["sign", "tool"], ["team", "revoke", "--team-key", "k"],
            ["team", "revoke", "--team-key", "k", "--key", "x", "--application", "a", "--below", "1"],
            ["sign", "--team-key", "k", "--output", "o", "a", "b"],
        ]
    )
    func usage(_ arguments: [String]) throws {
        let outcome = try Control(device: FakeDevice()).run(arguments)
        #expect(outcome.status == 2)
    }
}
