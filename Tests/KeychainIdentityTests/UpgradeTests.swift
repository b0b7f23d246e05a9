// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// What becomes of a program's groups when another version takes its place.
struct UpgradeTests {
    private let bench: Workbench
    private let tool: String

    init() throws { (bench, tool) = try Workbench.withSignedTool() }

    /// Puts another version in the program's place.
    private func upgrade() throws {
        let next = try bench.install("next")
        try PeerProgram.run(["/bin/sh", "-c", "printf x >> \"$1\"", "sh", next])
        #expect(rename(next, tool) == 0)
    }

    @Test("the next version, signed by the same team for the same application, has the same groups")
    func signed() throws {
        let before = try bench.identity(tool)
        try upgrade()
        try bench.sign(tool) { $0.serial = 8 }
        let after = try bench.identity(tool)
        #expect(after.kind == before.kind && after.ownedGroups == before.ownedGroups)
        #expect(after.reasons.isEmpty)
    }

    @Test("the next version, signed by the team's new key, has the same groups")
    func rotated() throws {
        let before = try bench.identity(tool)
        let newKey = TeamKey()
        let statement = try TeamStatement(
            .rotation(newKey: newKey.publicKey),
            of: bench.team,
            created: "2026-11-23T03:00:00Z",
            by: bench.key
        )
        try upgrade()
        try bench.sign(tool, by: newKey) { contents in
            contents.serial = 8
            contents.statements = [statement]
        }
        #expect(try bench.identity(tool).ownedGroups == before.ownedGroups)
    }

    @Test("an unsigned version is told which items it does not reach, and what to do")
    func unsigned() throws {
        #expect(try bench.identity(tool).isKnown)
        try upgrade()
        let reasons = try bench.identity(tool).reasons.joined(separator: "\n")
        #expect(reasons.contains(bench.team.prefix + "com.example.shared"), "\(reasons)")
        #expect(reasons.contains("keychainctl sign"))
        unlink(tool + ProgramManifest.fileSuffix)
        #expect(try bench.identity(tool).reasons.contains { $0.contains("cannot access its items") })
    }

    /// Who a program is to a service that keeps its record in a folder.
    private func identity(
        _ words: String...,
        by service: IdentityService
    ) throws -> ClientIdentity {
        let program = try PeerProgram(words + [bench.socketPath])
        defer { withExtendedLifetime(program) {} }
        let connection = try bench.accept()
        return try service.identify(socket: connection.socket, greetingByteCount: Workbench.greetingByteCount).identity
    }

    @Test("a version with fewer groups is told which it lost, at each connection, until a version has them again")
    func fewerGroups() throws {
        let shared = bench.team.prefix + "com.example.shared"
        let service = try IdentityService(bench.options, folder: nil)
        #expect(try identity(tool, by: service).loss == nil)
        for serial in [8, 9] {
            try bench.sign(tool) { contents in
                contents.serial = serial
                contents.accessGroups.removeLast()
            }
            let identity = try identity(tool, by: service)
            #expect(identity.kind == .signed(bench.team))
            #expect(identity.loss?.contains("had the access groups \(shared)") == true, "\(identity.loss ?? "")")
        }
        try bench.sign(tool) { $0.serial = 10 }
        #expect(try identity(tool, by: service).loss == nil)
    }

    @Test("a signed program that is not identified is told so, whatever the reason, also at its first connection")
    func notIdentified() throws {
        let library = try bench.library("other.so", "int other(void) { return 1; }")
        let preloaded = try bench.identity("/usr/bin/env", "LD_PRELOAD=\(library)", tool)
        #expect(preloaded.loss?.contains("LD_PRELOAD") == true, "\(preloaded.loss ?? "")")
        #expect(try bench.identity(tool).isKnown)
        let (program, connection) = try bench.start(tool)
        try upgrade()
        let replaced = try bench.identify(connection).identity
        #expect(replaced.loss?.contains("restart the program") == true, "\(replaced.loss ?? "")")
        withExtendedLifetime(program) {}
        #expect(try bench.identity(try bench.install("other")).loss == nil, "it was never signed")
    }

    @Test("a version signed by another team is told so, and has its own team's groups alone")
    func otherTeam() throws {
        #expect(try bench.identity(tool).isKnown)
        try upgrade()
        let other = TeamKey()
        let team = TeamIdentifier(firstKey: other.publicKey)
        try bench.sign(tool, by: other) { contents in
            contents.team = team
            contents.applicationIdentifier = team.prefix + "com.example.tool"
            contents.accessGroups = [team.prefix + "com.example.shared"]
        }
        let identity = try bench.identity(tool)
        #expect(identity.kind == .signed(team))
        #expect(identity.ownedGroups == [team.prefix + "com.example.shared"])
        #expect(identity.reasons.contains { $0.contains(bench.team.prefix + "com.example.shared") })
        #expect(identity.refusal(of: bench.team.prefix + "com.example.shared") != nil)
    }

    @Test("an earlier version is refused once a later one was here, also at another path and by another daemon")
    func downgrade() throws {
        let old = try bench.install("old")
        try bench.sign(old)
        try bench.sign(tool) { $0.serial = 8 }
        let folder = try PrivateDirectory(KeychainLocation(path: bench.folder.path(of: "keychain")))
        for isFirst in [true, false] {
            let service = try IdentityService(bench.options, folder: folder)
            let program = try PeerProgram([isFirst ? tool : old, bench.socketPath])
            let connection = try bench.accept()
            let peer = try service.identify(
                socket: connection.socket,
                greetingByteCount: Workbench.greetingByteCount
            )
            #expect(peer.identity.isKnown == isFirst, "\(peer.identity.reasons)")
            withExtendedLifetime(program) {}
        }
    }

    @Test("without the file of what is known, or with a damaged one, nobody is served by a guess")
    func damagedRecord() throws {
        let folder = try PrivateDirectory(KeychainLocation(path: bench.folder.path(of: "keychain")))
        try Array("{}".utf8).withUnsafeBytes { try folder.makeFile(IdentityRecord.fileName, $0) }
        #expect(throws: KeychainError.self) { try IdentityService(bench.options, folder: folder) }
    }

    @Test("a program whose manifest cannot be noted is anonymous")
    func notNoted() throws {
        let path = bench.folder.path(of: "keychain")
        let folder = try PrivateDirectory(KeychainLocation(path: path))
        let service = try IdentityService(bench.options, folder: folder)
        #expect(rmdir(path) == 0)
        let program = try PeerProgram([tool, bench.socketPath])
        let connection = try bench.accept()
        let peer = try service.identify(socket: connection.socket, greetingByteCount: Workbench.greetingByteCount)
        #expect(peer.identity.kind == .anonymous)
        #expect(peer.identity.ownedGroups.isEmpty)
        #expect(peer.identity.loss != nil, "it would store its items where every program can read them")
        withExtendedLifetime(program) {}
    }

    /// A key that a team added, and the statements that add it and revoke another one.
    private func statements(revoking key: TeamPublicKey, addedBy first: TeamKey) throws -> (TeamKey, [TeamStatement]) {
        let next = TeamKey()
        let date = "2026-11-23T03:00:00Z"
        let rotation = TeamStatement.Content.rotation(newKey: next.publicKey)
        let revocation = TeamStatement.Content.keyRevocation(key: key, successor: next.publicKey)
        return (
            next,
            [
                try TeamStatement(rotation, of: bench.team, created: date, by: first),
                try TeamStatement(revocation, of: bench.team, created: date, by: next),
            ]
        )
    }

    /// Publishes statements where the daemon of the bench looks for them.
    private func publish(_ statements: [TeamStatement]) throws -> (IdentityOptions, path: String) {
        var options = bench.options
        options.statementFolders = [bench.folder.path(of: "statements")]
        let path = "\(options.statementFolders[0])/\(PublishedStatements.fileName(of: bench.team))"
        try bench.write(statements.map { $0.document.text + "\n" }.joined(), to: path)
        #expect(chmod(path, 0o644) == 0)
        return (options, path)
    }

    @Test("a published revocation counts at the next connection, without a newly signed program")
    func publishedRevocation() throws {
        let (next, statements) = try statements(revoking: bench.key.publicKey, addedBy: bench.key)
        var options = bench.options
        options.statementFolders = [bench.folder.path(of: "statements")]
        let service = try IdentityService(options, folder: nil)
        #expect(try identity(tool, by: service).isKnown)
        let (_, path) = try publish(statements)
        let revoked = try identity(tool, by: service)
        #expect(revoked.kind == .anonymous)
        #expect(revoked.loss?.contains("was revoked") == true, "\(revoked.loss ?? "")")
        // Also what the new key signed without the statements is the team's; from then on they are recorded.
        try bench.sign(tool, by: next) { $0.serial = 8 }
        #expect(try identity(tool, by: service).isKnown)
        #expect(unlink(path) == 0)
        try bench.sign(tool) { $0.serial = 9 }
        #expect(try identity(tool, by: service).kind == .anonymous)
    }

    /// A program that stays connected, as a service identified it.
    private func connected(
        _ service: IdentityService
    ) throws -> (IdentifiedPeer, keeping: (PeerProgram, Workbench.Connection)) {
        let (program, connection) = try bench.start(tool)
        let peer = try service.identify(
            socket: connection.socket,
            greetingByteCount: Workbench.greetingByteCount
        )
        #expect(peer.identity.isKnown, "\(peer.identity.reasons)")
        try peer.confirm()
        return (peer, (program, connection))
    }

    private func expectRevoked(_ peer: IdentifiedPeer) {
        let error = #expect(throws: KeychainError.self) { try peer.confirm() }
        #expect(error?.status == .missingEntitlement)
        #expect(error?.reason.contains("was revoked") == true, "\(error?.reason ?? "")")
    }

    @Test("a published revocation counts for a program that is connected, and is recorded")
    func publishedRevocationWhileConnected() throws {
        let (_, statements) = try statements(revoking: bench.key.publicKey, addedBy: bench.key)
        let (options, path) = try publish([])
        #expect(unlink(path) == 0)
        let service = try IdentityService(options, folder: nil)
        let (peer, keeping) = try connected(service)
        _ = try publish(statements)
        expectRevoked(peer)
        #expect(unlink(path) == 0)
        expectRevoked(peer)
        withExtendedLifetime(keeping) {}
    }

    @Test("a revocation in another program's manifest counts for a program that is connected")
    func learnedRevocationWhileConnected() throws {
        let (next, statements) = try statements(revoking: bench.key.publicKey, addedBy: bench.key)
        let service = try IdentityService(bench.options, folder: nil)
        let (peer, keeping) = try connected(service)
        let other = try bench.install("other")
        try bench.sign(other, by: next) { $0.statements = statements }
        #expect(try identity(other, by: service).isKnown)
        expectRevoked(peer)
        withExtendedLifetime(keeping) {}
    }

    @Test("published statements that cannot be read end what a connected program of that team gets")
    func unusableStatementsWhileConnected() throws {
        let (options, path) = try publish([])
        #expect(unlink(path) == 0)
        let service = try IdentityService(options, folder: nil)
        let (peer, keeping) = try connected(service)
        try bench.write("damaged", to: path)
        let error = #expect(throws: KeychainError.self) { try peer.confirm() }
        #expect(error?.status == .missingEntitlement)
        #expect(unlink(path) == 0)
        try peer.confirm()
        withExtendedLifetime(keeping) {}
    }

    @Test("an earlier version that is connected goes on while a later one connects, during an upgrade")
    func earlierVersionWhileConnected() throws {
        let service = try IdentityService(bench.options, folder: nil)
        let (peer, keeping) = try connected(service)
        let later = try bench.install("later")
        try bench.sign(later) { $0.serial = 8 }
        #expect(try identity(later, by: service).isKnown)
        try peer.confirm()
        withExtendedLifetime(keeping) {}
    }

    @Test("what a team publishes undoes what a thief of its key stated in a manifest")
    func publishedBeforeThief() throws {
        let (thief, stolen) = try statements(revoking: bench.key.publicKey, addedBy: bench.key)
        let service = try IdentityService(bench.options, folder: nil)
        let evil = try bench.install("evil")
        try bench.sign(evil, by: thief) { $0.statements = stolen }
        #expect(try identity(evil, by: service).isKnown)
        let (next, own) = try statements(revoking: bench.key.publicKey, addedBy: bench.key)
        let (options, _) = try publish(own)
        var record = IdentityRecord()
        for statement in stolen { try record.accept(statement) }
        try bench.sign(tool, by: next) { $0.serial = 8 }
        func found(_ path: String) -> ClientIdentity {
            ProgramExaminer(options).identify(programAt: path, record).identity
        }
        #expect(found(tool).kind == .signed(bench.team), "\(found(tool).reasons)")
        #expect(found(evil).kind == .anonymous)
    }

    @Test(
        "published statements that are damaged, another team's, out of reach, or in a file that others can change, identify nobody",
        arguments: ["damaged", "other team", "writable", "out of reach"]
    )
    func unusableStatements(_ what: String) throws {
        let (_, statements) = try statements(revoking: TeamKey().publicKey, addedBy: bench.key)
        let (options, path) = try publish(Array(statements.prefix(1)))
        func found() -> ClientIdentity { ProgramExaminer(options).identify(programAt: tool, bench.record).identity }
        #expect(found().isKnown, "\(found().reasons)")
        switch what {
        case "damaged": try bench.write("nothing\n", to: path)
        case "writable": #expect(chmod(path, 0o666) == 0)
        case "out of reach":
            let folder = options.statementFolders[0]
            #expect(rename(folder, "\(folder).aside") == 0 && symlink(folder, folder) == 0)
        default:
            let key = TeamKey()
            let content = TeamStatement.Content.rotation(newKey: TeamKey().publicKey)
            let team = TeamIdentifier(firstKey: key.publicKey)
            let statement = try TeamStatement(content, of: team, created: "2026-11-23T03:00:00Z", by: key)
            try bench.write(statement.document.text + "\n", to: path)
        }
        expectAnonymous(found(), path)
    }
}
