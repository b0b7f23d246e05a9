// SPDX-License-Identifier: Apache-2.0

/// Which keys sign for a team, and which of its manifests count, as far as its statements are known.
///
/// The first key is the one whose digest the team's identifier is. Each further key was made the team's by one before
/// it.
public struct TeamKeys: Sendable, Hashable {
    /// The team.
    public let team: TeamIdentifier

    private var rotations: [TeamPublicKey: Set<TeamPublicKey>] = [:]
    private var revocations: [TeamPublicKey: Successor] = [:]
    private var smallestSerials: [String: Int] = [:]

    private enum Successor: Sendable, Hashable {
        case none
        case key(TeamPublicKey)
    }

    /// A team of which no statement is known.
    public init(team: TeamIdentifier) { self.team = team }

    /// A team that has said this, in order.
    ///
    /// - Throws: ``IdentityError`` for the first statement whose signer may not say so.
    public init(team: TeamIdentifier, _ statements: [TeamStatement]) throws(IdentityError) {
        self.team = team
        for statement in statements { try accept(statement) }
    }

    /// Whether what the key signs counts.
    public func maySign(_ key: TeamPublicKey) -> Bool { revocations[key] == nil && isOfTeam(key) }

    /// Whether the key is or was one of the team's: the chain from the first key to it has not been cut.
    private func isOfTeam(_ key: TeamPublicKey) -> Bool {
        isFirst(key) || made(by: rotations.keys.filter(isFirst), mayMake).contains(key)
    }

    private func isFirst(_ key: TeamPublicKey) -> Bool { TeamIdentifier(firstKey: key) == team }

    private func mayMake(_ new: TeamPublicKey, byKey old: TeamPublicKey) -> Bool {
        revocations[old].map { $0 == .key(new) } ?? true
    }

    /// Whether a key came after another one.
    private func descends(_ key: TeamPublicKey, from ancestor: TeamPublicKey) -> Bool {
        made(by: [ancestor]) { _, _ in true }.contains(key)
    }

    /// All keys that came after some, each looked at once.
    private func made(
        by first: [TeamPublicKey],
        _ counts: (_ new: TeamPublicKey, _ old: TeamPublicKey) -> Bool
    ) -> Set<TeamPublicKey> {
        var found: Set<TeamPublicKey> = []
        var waiting = first
        while let old = waiting.popLast() {
            for new in rotations[old] ?? [] where counts(new, old) && found.insert(new).inserted { waiting.append(new) }
        }
        return found
    }

    /// Takes a statement into account.
    ///
    /// - Throws: ``IdentityError`` when its signer may not say so; nothing is changed then.
    public mutating func accept(_ statement: TeamStatement) throws(IdentityError) {
        let signer = statement.document.signer
        guard statement.team == team else { throw IdentityError("the statement is another team's") }
        guard isOfTeam(signer) else { throw IdentityError("the statement is not signed by a key of the team") }
        switch statement.content {
        case .rotation(let newKey):
            guard mayMake(newKey, byKey: signer) else {
                throw IdentityError("the new key was named by a key that was revoked")
            }
            rotations[signer, default: []].insert(newKey)
        case .keyRevocation(let key, let successor): try revoke(key, successor, signer)
        case .serialRevocation(let application, let serial):
            guard maySign(signer) else { throw IdentityError("the statement is signed by a key that was revoked") }
            smallestSerials[application] = max(smallestSerials[application] ?? 0, serial)
        }
    }

    private mutating func revoke(
        _ key: TeamPublicKey,
        _ successor: TeamPublicKey?,
        _ signer: TeamPublicKey
    ) throws(IdentityError) {
        let successor: Successor = successor.map { .key($0) } ?? .none
        if let known = revocations[key] {
            // Whoever had the key could say what they like; the first word counts.
            guard known == successor else { throw IdentityError("the key was revoked before, with another successor") }
            return
        }
        guard maySign(signer), signer == key || descends(signer, from: key) else {
            throw IdentityError("a key is revoked by itself or by one that came after it")
        }
        if case .key(let next) = successor, signer != key, next != signer, !descends(signer, from: next) {
            throw IdentityError("the key that revokes another one must be its successor, or have come after it")
        }
        revocations[key] = successor
    }

    /// Checks that a manifest is signed by a key of its team and was not revoked.
    ///
    /// - Throws: ``IdentityError`` with what to do.
    public func check(_ manifest: ProgramManifest) throws(IdentityError) {
        guard manifest.team == team else { throw IdentityError("the manifest is another team's") }
        let signer = manifest.document.signer
        guard isOfTeam(signer) else {
            throw IdentityError("the manifest is not signed by a key of team \(team), which it claims to be of")
        }
        guard maySign(signer) else {
            throw IdentityError(
                "the key that signed the manifest was revoked; sign the program with the team's new key"
            )
        }
        if let smallest = smallestSerials[manifest.applicationIdentifier], manifest.serial < smallest {
            throw IdentityError(
                "the manifest has serial \(manifest.serial), and the team has revoked those below \(smallest); "
                    + "install a later version"
            )
        }
    }
}
