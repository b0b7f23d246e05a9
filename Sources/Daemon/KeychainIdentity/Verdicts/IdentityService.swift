// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import Synchronization

/// Identifies processes that connect, and records their manifests in a file.
package final class IdentityService: Sendable {
    private let examiner: ProgramExaminer
    /// The folder of the file, created if necessary; `nil` to keep the record in memory only.
    private let folder: @Sendable () throws(FileError) -> PrivateDirectory?
    private let record: Mutex<IdentityRecord>

    /// Reads the record; a missing file is an empty record.
    ///
    /// - Parameters:
    ///   - options: the places to search for manifests.
    ///   - folder: the folder of the file, which is also the keychain's folder as programs without a daemon would use
    ///     it; `nil` to keep the record in memory only.
    /// - Throws: ``KeychainError`` if the file cannot be read, or is damaged: without it, revoked keys would be
    ///   accepted.
    package init(
        _ options: IdentityOptions = .ofUser,
        folder: PrivateDirectory?
    ) throws(KeychainError) {
        examiner = ProgramExaminer(options, store: folder?.path)
        self.folder = { folder }
        record = Mutex(try Self.record(in: folder))
    }

    /// Reads the record in a folder that is created only when there is something to record, and is not the keychain's
    /// folder of programs without a daemon.
    ///
    /// - Parameters:
    ///   - options: the places to search for manifests.
    ///   - location: the folder of the file.
    /// - Throws: ``KeychainError`` if the folder or the file cannot be read, or the file is damaged.
    package init(_ options: IdentityOptions, recordingAt location: KeychainLocation) throws(KeychainError) {
        examiner = ProgramExaminer(options, store: nil)
        folder = { () throws(FileError) in try PrivateDirectory(location) }
        let existing: PrivateDirectory?
        do { existing = try PrivateDirectory(existing: location) } catch {
            throw KeychainError(.notAvailable, "\(error)", kind: .storage(.file), facts: error.facts)
        }
        record = Mutex(try Self.record(in: existing))
    }

    private static func record(in folder: PrivateDirectory?) throws(KeychainError) -> IdentityRecord {
        do throws(IdentityError) { return try IdentityRecord(in: folder) } catch {
            throw KeychainError(.notAvailable, error.description, kind: .storage(.damaged))
        }
    }

    /// Identifies the process at the other end of a socket.
    ///
    /// - Parameters:
    ///   - socket: the connected socket.
    ///   - greetingByteCount: the number of bytes it may already have sent
    ///     (``PeerProcess/init(socket:greetingByteCount:)``).
    /// - Returns: The process and its identity, anonymous if nothing is proved.
    /// - Throws: ``KeychainError`` of `errSecMissingEntitlement` for a process that cannot be distinguished from
    ///   others, and of `errSecNotAvailable` if that takes too long.
    package func identify(socket: Int32, greetingByteCount: Int) throws(KeychainError) -> IdentifiedPeer {
        let deadline = Deadline(milliseconds: examiner.options.identificationMilliseconds)
        do throws(IdentityError) {
            let peer = try PeerProcess(socket: socket, greetingByteCount: greetingByteCount)
            let identified = identify(peer, until: deadline)
            // It may be anonymous for that alone.
            guard !deadline.isOver else { throw IdentityError("it could not be identified in time") }
            try identified.process.checkQueue(of: socket, greetingByteCount: greetingByteCount)
            return identified
        } catch {
            throw deadline.isOver
                ? KeychainError(.notAvailable, "the connection is refused: \(error)", kind: .unavailable)
                : KeychainError(.missingEntitlement, "the connection is refused: \(error)")
        }
    }

    /// Identifies the process of which a message bus says that it connected there.
    ///
    /// - Parameters:
    ///   - process: its PID.
    ///   - user: the user as whom it connected.
    ///   - pidfd: a descriptor of it; `nil` if the bus has none.
    ///   - connectedBefore: when it was connected already (``PeerProcess/init(identifier:of:pidfd:connectedBefore:)``).
    /// - Returns: The process and its identity: anonymous if nothing is proved, or another process may have its PID by
    ///   now; then it is not exact.
    /// - Throws: ``KeychainError`` of `errSecMissingEntitlement` for a process that cannot be distinguished from
    ///   others, and of `errSecNotAvailable` if that takes too long.
    package func identify(
        onBus process: Int32,
        of user: UInt32,
        pidfd: Int32?,
        connectedBefore: UInt64?
    ) throws(KeychainError) -> IdentifiedPeer {
        let deadline = Deadline(milliseconds: examiner.options.identificationMilliseconds)
        do throws(IdentityError) {
            let peer = try PeerProcess(
                identifier: process,
                of: user,
                pidfd: pidfd,
                connectedBefore: connectedBefore
            )
            let identified = identify(peer, until: deadline)
            guard !deadline.isOver else { throw IdentityError("it could not be identified in time") }
            guard !peer.isExact else { return identified }
            // Out of a sandbox it could be the number of a process outside, and the other way round.
            guard !identified.identity.isSandboxed else { throw IdentityError(Self.unknownProcess) }
            guard identified.identity.isKnown else { return identified }
            return IdentifiedPeer(peer, as: identified.identification.withdrawn(Self.unknownProcess))
        } catch {
            throw deadline.isOver
                ? KeychainError(.notAvailable, "the connection is refused: \(error)", kind: .unavailable)
                : KeychainError(.missingEntitlement, "the connection is refused: \(error)")
        }
    }

    private static let unknownProcess =
        "the message bus gives no descriptor of the process (ProcessFD), and the process may be another one than that "
        + "which connected; a program that connects after the service has started is identified"

    /// Identifies a process, if that is possible before a deadline.
    package func identify(_ peer: PeerProcess, until deadline: Deadline? = nil) -> IdentifiedPeer {
        var scratch = record.withLock { $0 }
        let identified = examiner.identify(peer, &scratch, until: deadline)
        guard let proof = identified.signedProof, let manifest = proof.manifest else { return identified }
        do throws(IdentityError) {
            try recordManifest(manifest, proof)
            return identified.checked(by: RevocationCheck(manifest, self))
        } catch {
            // If it were accepted without being recorded, an earlier version could be accepted later.
            return IdentifiedPeer(peer, as: identified.identification.withdrawn(error.description))
        }
    }

    /// Records a valid manifest in the file, and its team's published statements; others may have been recorded since
    /// it was checked.
    private func recordManifest(_ manifest: ProgramManifest, _ proof: ProgramProof) throws(IdentityError) {
        try record.withLock { record throws(IdentityError) in
            var learned = record
            try learned.accept(published: proof.published, of: manifest.team)
            try learned.check(manifest)
            try learned.recordConnection(of: manifest, path: proof.path)
            try replace(&record, by: learned)
        }
    }

    /// The keys of a team by what it has published and what is recorded, which is recorded then.
    func currentKeys(of team: TeamIdentifier) throws(IdentityError) -> TeamKeys {
        let published = try PublishedStatements.statements(of: team, in: examiner.options.statementFolders)
        return try record.withLock { record throws(IdentityError) in
            var learned = record
            try learned.accept(published: published, of: team)
            try replace(&record, by: learned)
            return record.keys(of: team)
        }
    }

    /// The keys of a team as they are recorded.
    func recordedKeys(of team: TeamIdentifier) -> TeamKeys { record.withLock { $0.keys(of: team) } }

    /// The current marks of the files of a team's published statements, to detect changes.
    func publishedMarks(of team: TeamIdentifier) -> [FileMark?] {
        PublishedStatements.marks(of: team, in: examiner.options.statementFolders)
    }

    private func replace(_ record: inout IdentityRecord, by learned: IdentityRecord) throws(IdentityError) {
        guard learned != record else { return }
        let folder: PrivateDirectory?
        do throws(FileError) { folder = try self.folder() } catch { throw IdentityError(error.description) }
        if let folder { try learned.write(in: folder) }
        record = learned
    }
}

extension Identification {
    /// The same process as an anonymous one, for a reason.
    fileprivate func withdrawn(_ reason: String) -> Identification {
        let check = IdentityCheck(name: "record", result: .failed, detail: reason)
        return Identification(
            identity: ClientIdentity(
                .anonymous,
                reservedGroups: identity.reservedGroups.union(
                    identity.ownedGroups.filter { GroupOwner(of: $0) == .nobody }
                ),
                reasons: identity.reasons + [reason],
                loss: (identity.reasons + [reason]).joined(separator: "; ")
            ),
            checks: checks + [check]
        )
    }
}

extension IdentityRecord {
    /// The record in a folder's file; empty if there is no file.
    ///
    /// - Throws: ``IdentityError`` for a file that cannot be read or is damaged.
    package init(in folder: PrivateDirectory?) throws(IdentityError) {
        self.init()
        guard let folder else { return }
        var contents: [UInt8]?
        do throws(FileError) {
            guard try folder.hasFile(Self.fileName) else { return }
            contents = try folder.withContents(of: Self.fileName, limit: Self.largestByteCount) { Array($0) }
        } catch { throw IdentityError(error.description) }
        do throws(IdentityError) { try self.init(text: contents ?? []) } catch {
            throw IdentityError(
                "\(folder.path(of: Self.fileName)), which records what teams revoked, is damaged: \(error). Restore it from a "
                    + "backup, or remove it if no team has revoked anything"
            )
        }
    }

    func write(in folder: PrivateDirectory) throws(IdentityError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.largestByteCount else { throw IdentityError("the record of programs is too large") }
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileError) in try folder.makeFile(Self.fileName, bytes) }
        }
        do throws(FileError) { try written.get() } catch {
            throw IdentityError("the record of programs cannot be written: \(error)")
        }
    }
}
