// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Checks that the manifest of a connected program is still valid: its team may publish a revocation meanwhile, or a
/// program with a newer manifest of the team may contain one.
final class RevocationCheck: Sendable {
    private let manifest: ProgramManifest
    private let service: IdentityService
    private let last: Mutex<Look?> = Mutex(nil)

    /// The state in which the manifest was found valid.
    private struct Look {
        let marks: [FileMark?]
        let keys: TeamKeys
    }

    init(_ manifest: ProgramManifest, _ service: IdentityService) {
        self.manifest = manifest
        self.service = service
    }

    /// Checks the manifest again, if statements were added.
    ///
    /// An earlier version stays valid while a later one connects, unlike at its next connection: during an upgrade both
    /// run.
    ///
    /// - Throws: ``IdentityError`` if it was revoked, or if published statements cannot be read.
    func check() throws(IdentityError) {
        let team = manifest.team
        // Read before the statements: what is published meanwhile is noticed next time.
        let marks = service.publishedMarks(of: team)
        if let last = last.withLock(\.self), last.marks == marks, last.keys == service.recordedKeys(of: team) { return }
        let keys = try service.currentKeys(of: team)
        try keys.check(manifest)
        last.withLock { $0 = Look(marks: marks, keys: keys) }
    }
}
