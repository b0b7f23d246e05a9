// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainIdentity

/// Which keys count for a team after rotations and revocations, and what an earlier version of a program is worth.
struct TeamKeysTests {
    private let first = TeamKey()
    private let second = TeamKey()
    private let thief = TeamKey()
    private var team: TeamIdentifier { TeamIdentifier(firstKey: first.publicKey) }

    private func statement(_ content: TeamStatement.Content, by key: TeamKey) throws -> TeamStatement {
        try TeamStatement(content, of: team, created: "2026-11-23T03:00:00Z", by: key)
    }

    private func rotation(_ old: TeamKey, _ new: TeamKey) throws -> TeamStatement {
        try statement(.rotation(newKey: new.publicKey), by: old)
    }

    private func revocation(_ key: TeamKey, successor: TeamKey?, by signer: TeamKey) throws -> TeamStatement {
        try statement(.keyRevocation(key: key.publicKey, successor: successor?.publicKey), by: signer)
    }

    private func manifest(
        by key: TeamKey,
        serial: Int = 7,
        _ statements: [TeamStatement] = []
    ) throws -> ProgramManifest {
        var contents = ProgramManifest.Contents(
            team: team,
            applicationIdentifier: team.prefix + "tool",
            accessGroups: [team.prefix + "tool"],
            executable: SHA256Value(of: [1]),
            serial: serial,
            created: "2026-11-23T03:00:00Z"
        )
        contents.statements = statements
        return try ProgramManifest(signing: contents, by: key)
    }

    @Test("the first key signs for its team, and no other does")
    func firstKey() throws {
        let keys = TeamKeys(team: team)
        #expect(keys.maySign(first.publicKey))
        #expect(!keys.maySign(second.publicKey))
        #expect(throws: IdentityError.self) { try keys.check(manifest(by: second)) }
    }

    @Test("a rotated key signs, too, when the manifest carries the statement")
    func rotated() throws {
        var record = IdentityRecord()
        #expect(throws: IdentityError.self) { try record.check(manifest(by: second)) }
        try record.check(try manifest(by: second, [rotation(first, second)]))
        try record.check(try manifest(by: second))
        try record.check(try manifest(by: first))
    }

    @Test("a stranger makes no key the team's, and none of another team counts")
    func strangers() throws {
        var record = IdentityRecord()
        #expect(throws: IdentityError.self) { try record.check(manifest(by: thief, [rotation(thief, thief)])) }
        let others = try TeamStatement(
            .rotation(newKey: thief.publicKey),
            of: TeamIdentifier(firstKey: thief.publicKey),
            created: "2026-11-23T03:00:00Z",
            by: thief
        )
        #expect(throws: IdentityError.self) { try manifest(by: thief, [others]) }
    }

    @Test("of the keys that a stolen key made the team's, the successor alone stays when it is revoked")
    func stolenKey() throws {
        var record = IdentityRecord()
        try record.check(try manifest(by: thief, [rotation(first, thief)]))
        try record.check(
            try manifest(by: second, [rotation(first, second), revocation(first, successor: second, by: second)])
        )
        #expect(throws: IdentityError.self) { try record.check(manifest(by: first)) }
        #expect(throws: IdentityError.self) { try record.check(manifest(by: thief)) }
        #expect(throws: IdentityError.self) { try record.check(manifest(by: thief, [rotation(first, thief)])) }
        try record.check(try manifest(by: second))
    }

    @Test("a key is revoked by itself or a later one, and the first word counts")
    func whoRevokes() throws {
        var keys = TeamKeys(team: team)
        try keys.accept(try rotation(first, second))
        #expect(throws: IdentityError.self) { try keys.accept(revocation(second, successor: nil, by: first)) }
        #expect(throws: IdentityError.self) { try keys.accept(revocation(first, successor: nil, by: thief)) }
        #expect(throws: IdentityError.self) { try keys.accept(revocation(first, successor: thief, by: second)) }
        try keys.accept(try revocation(first, successor: second, by: second))
        #expect(throws: IdentityError.self) { try keys.accept(revocation(first, successor: nil, by: second)) }
        try keys.accept(try revocation(first, successor: second, by: second))
        #expect(keys.maySign(second.publicKey))
    }

    @Test("a team that revokes its only key has none any more")
    func noKeyLeft() throws {
        var keys = TeamKeys(team: team)
        try keys.accept(try revocation(first, successor: nil, by: first))
        #expect(!keys.maySign(first.publicKey))
        #expect(throws: IdentityError.self) { try keys.accept(rotation(first, second)) }
    }

    @Test("keys that name each other in a circle are no one's")
    func circle() throws {
        var keys = TeamKeys(team: team)
        #expect(throws: IdentityError.self) { try keys.accept(rotation(second, thief)) }
        try keys.accept(try rotation(first, second))
        try keys.accept(try rotation(second, first))
        #expect(keys.maySign(second.publicKey))
        #expect(!keys.maySign(thief.publicKey))
    }

    @Test("manifests below a serial that the team revoked are refused")
    func revokedSerials() throws {
        var record = IdentityRecord()
        let application = team.prefix + "tool"
        try record.accept(
            try statement(.serialRevocation(applicationIdentifier: application, belowSerial: 8), by: first)
        )
        #expect(throws: IdentityError.self) { try record.check(manifest(by: first, serial: 7)) }
        try record.check(try manifest(by: first, serial: 8))
        #expect(throws: IdentityError.self) {
            try statement(.serialRevocation(applicationIdentifier: "another.tool", belowSerial: 8), by: first)
        }
    }

    @Test("an earlier manifest than one that was seen is refused, also after the record was read again")
    func downgrade() throws {
        var record = IdentityRecord()
        try record.recordConnection(of: try manifest(by: first, serial: 8), path: "/opt/tool")
        record = try IdentityRecord(text: record.text.utf8)
        #expect(throws: IdentityError.self) { try record.check(manifest(by: first, serial: 7)) }
        try record.check(try manifest(by: first, serial: 8))
        try record.check(try manifest(by: first, serial: 9))
    }

    @Test("the record is read as it was written")
    func roundTrip() throws {
        var record = IdentityRecord()
        let manifest = try manifest(
            by: second,
            [rotation(first, second), revocation(first, successor: second, by: second)]
        )
        try record.check(manifest)
        try record.recordConnection(of: manifest, path: "/opt/a \"tool\"\n")
        #expect(try IdentityRecord(text: record.text.utf8) == record)
        #expect(record.program(at: "/opt/a \"tool\"\n")?.applicationIdentifier == manifest.applicationIdentifier)
    }

    @Test("a record of a team's statements is bounded")
    func capacity() throws {
        var record = IdentityRecord()
        let outcomes = try (0..<40).map { _ in
            let statement = try rotation(first, TeamKey())
            return Result { () throws(IdentityError) in try record.accept(statement) }
        }
        let accepted = outcomes.count { (try? $0.get()) != nil }
        #expect(accepted == 32)
    }
}
