// SPDX-License-Identifier: Apache-2.0

/// Which keys may sign for a team, and which of its manifests are valid, according to its known statements.
///
/// The team identifier is the digest of the first key. Each further key was added by an earlier one.
package struct TeamKeys: Sendable, Hashable {
    /// The team.
    package let team: TeamIdentifier

    private var rotations: [TeamPublicKey: Set<TeamPublicKey>] = [:]
    private var revocations: [TeamPublicKey: Successor] = [:]
    private var smallestSerials: [String: Int] = [:]

    private enum Successor: Sendable, Hashable {
        case none
        case key(TeamPublicKey)
    }

    /// A team without statements.
    package init(team: TeamIdentifier) { self.team = team }

    /// A team with these statements, in order.
    ///
    /// - Throws: ``IdentityError`` for the first statement that its signer may not make.
    package init(team: TeamIdentifier, _ statements: [TeamStatement]) throws(IdentityError) {
        self.team = team
        for statement in statements { try accept(statement) }
    }

    /// Whether signatures of the key are valid.
    package func maySign(_ key: TeamPublicKey) -> Bool { revocations[key] == nil && isOfTeam(key) }

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

    /// All keys that descend from some keys, each visited once.
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

    /// Applies a statement.
    ///
    /// - Throws: ``IdentityError`` if its signer may not make it; nothing is changed then.
    package mutating func accept(_ statement: TeamStatement) throws(IdentityError) {
        let signer = statement.document.signer
        guard statement.team == team else { throw IdentityError("the statement is of another team") }
        guard isOfTeam(signer) else { throw IdentityError("the statement is not signed by a key of the team") }
        switch statement.content {
        case .rotation(let newKey):
            guard mayMake(newKey, byKey: signer) else {
                throw IdentityError("the new key was added by a revoked key")
            }
            rotations[signer, default: []].insert(newKey)
        case .keyRevocation(let key, let successor): try revoke(key, replacedBy: successor, signedBy: signer)
        case .serialRevocation(let application, let serial):
            guard maySign(signer) else { throw IdentityError("the statement is signed by a revoked key") }
            smallestSerials[application] = max(smallestSerials[application] ?? 0, serial)
        }
    }

    private mutating func revoke(
        _ key: TeamPublicKey,
        replacedBy successor: TeamPublicKey?,
        signedBy signer: TeamPublicKey
    ) throws(IdentityError) {
        let successor: Successor = successor.map { .key($0) } ?? .none
        if let known = revocations[key] {
            // A thief of the key could revoke it, too; the first revocation applies.
            guard known == successor else { throw IdentityError("the key was revoked before, with another successor") }
            return
        }
        guard maySign(signer), signer == key || descends(signer, from: key) else {
            throw IdentityError("a key is revoked by itself or by one of its successors")
        }
        if case .key(let next) = successor, signer != key, next != signer, !descends(signer, from: next) {
            throw IdentityError(
                "the key that revokes another one must be its named successor, or a successor of that one"
            )
        }
        revocations[key] = successor
    }

    /// Checks that a manifest is signed by a key of its team and was not revoked.
    ///
    /// - Throws: ``IdentityError`` with the remedy.
    package func check(_ manifest: ProgramManifest) throws(IdentityError) {
        guard manifest.team == team else { throw IdentityError("the manifest is of another team") }
        let signer = manifest.document.signer
        guard isOfTeam(signer) else {
            throw IdentityError("the manifest is not signed by a key of team \(team), which it claims")
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
