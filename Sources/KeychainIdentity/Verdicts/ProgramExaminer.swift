// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// Finds out who a program is (Identity, "What proves it").
///
/// The first of these counts: an application of Flatpak; a snap; then everything else that it proves together, which is
/// a manifest that a team signed, a root-owned manifest, and a service of the system that it runs in.
public struct ProgramExaminer: Sendable {
    let options: IdentityOptions
    let hashes = ExecutableHashes()
    private let store: String?

    /// Looks for proofs in these places.
    ///
    /// - Parameters:
    ///   - options: the places.
    ///   - store: the folder of the keychain that programs ask for; `nil` where there is none.
    public init(_ options: IdentityOptions, store: String? = nil) {
        self.options = options
        self.store = store
    }

    /// Who a process is.
    ///
    /// - Parameters:
    ///   - peer: the process.
    ///   - record: what is known; the manifests of this process are noted in it.
    /// - Returns: The process and who it is: anonymous when nothing is proved, with the reasons.
    public func identify(_ peer: PeerProcess, _ record: inout IdentityRecord) -> IdentifiedPeer {
        var findings = IdentityFindings()
        let exactness = peer.isExact ? "" : ", by its number: this kernel does not say which process connected"
        findings.pass("process", "process \(peer.identifier) of user \(peer.user)\(exactness)")
        let foreign = findings.attempt("namespaces") { () throws(IdentityError) in try peer.foreignViews() }
        let group = peer.controlGroup()
        if let identity = sandbox(of: peer, foreign ?? [], group, &findings) {
            return IdentifiedPeer(peer, Identification(identity: identity, checks: findings.checks))
        }
        var program: IdentifiedPeer.Program?
        if let foreign, foreign.isEmpty {
            findings.pass("namespaces", "it sees the same system")
            program = running(peer, &findings, &record)
        } else if let foreign {
            findings.fail(
                "namespaces",
                "it sees another system (its own \(foreign.joined(separator: " and "))), so that it counts as in a sandbox "
                    + "that nobody names"
            )
        }
        let unit = group?.systemUnit
        if let unit { findings.pass("service", "it runs in the system's \(unit)") }
        let isForeign = foreign?.isEmpty != true
        // What could use the store without a daemon loses nothing by one.
        let hasStore = isForeign && (store.map(peer.canWrite(toFolder:)) ?? false)
        if hasStore { findings.note("store", "it can write to the keychain's folder by itself") }
        let identity = identity(
            program?.proof,
            unit,
            isForeign: isForeign,
            isConfined: isForeign && !hasStore,
            findings
        )
        return IdentifiedPeer(peer, Identification(identity: identity, checks: findings.checks), program)
    }

    /// Who a process would be that is started from an executable, as far as that is known before it is.
    ///
    /// - Parameters:
    ///   - path: the executable.
    ///   - record: what is known.
    /// - Returns: Who it is, anonymous when nothing is proved, and how that was found.
    public func identify(programAt path: String, _ record: IdentityRecord) -> Identification {
        var findings = IdentityFindings()
        var record = record
        let executable = findings.attempt("executable") { () throws(IdentityError) in try Executable(path: path) }
        var proof: ProgramProof?
        if let executable { proof = ProgramProof.find(for: executable, options, hashes, &findings, &record) }
        if proof != nil { findings.note("process", "what it loads, and who traces it, is looked at when it connects") }
        let identity = identity(proof, nil, isForeign: false, isConfined: false, findings)
        return Identification(identity: identity, checks: findings.checks)
    }

    private func sandbox(
        of peer: PeerProcess,
        _ foreign: [String],
        _ group: ControlGroup?,
        _ findings: inout IdentityFindings
    ) -> ClientIdentity? {
        if let label = peer.securityLabel, let snap = SnapLabel(label) {
            if let other = group?.snap, other != snap.snap {
                findings.fail(
                    "snap",
                    "its label says that it is of the snap \(snap.snap), its control group of \(other)"
                )
                return nil
            }
            findings.pass("snap", "its label is that of \(snap.application) of the snap \(snap.snap)")
            return sandboxIdentity(.snap(snap.snap), "snap", snap.snap, "snap.\(snap.snap).\(snap.application)")
        }
        guard foreign.contains("mount namespace"),
            let text = peer.contents(
                ofFileInRoot: FlatpakInformation.fileName,
                limit: FlatpakInformation.largestByteCount
            )
        else { return nil }
        guard let information = FlatpakInformation(text: text) else {
            findings.fail("flatpak", "the file \(FlatpakInformation.fileName) in its root folder names no application")
            return nil
        }
        let application = information.application
        findings.pass("flatpak", "it runs in a sandbox of Flatpak as \(application)")
        return sandboxIdentity(.flatpak(application), "flatpak", application, application)
    }

    private func sandboxIdentity(
        _ kind: ClientIdentity.Kind,
        _ sandbox: String,
        _ name: String,
        _ application: String
    ) -> ClientIdentity {
        ClientIdentity(
            kind,
            applicationIdentifier: application,
            ownedGroups: ["\(sandbox)/\(name)"],
            ownedPrefix: "\(sandbox)/\(name)/",
            isConfined: true
        )
    }

    /// What a running process proves by what it runs.
    private func running(
        _ peer: PeerProcess,
        _ findings: inout IdentityFindings,
        _ record: inout IdentityRecord
    ) -> IdentifiedPeer.Program? {
        guard
            let executable = findings.attempt("executable", { () throws(IdentityError) in try peer.openExecutable() })
        else { return nil }
        var learned = record
        guard let proof = ProgramProof.find(for: executable, options, hashes, &findings, &learned) else { return nil }
        let code = findings.attempt("loaded code") { () throws(IdentityError) in
            try CheckedCode(
                of: peer,
                LoadedCode(trust: options.trust, hashes: hashes),
                LoadedCode.Allowance(executable: proof.mark, libraries: proof.libraries, isJIT: proof.isJIT)
            )
        }
        let isUntraced = findings.succeeds("tracer") { () throws(IdentityError) in
            try peer.state().checkIsUntraced()
        }
        guard let code, isUntraced else { return nil }
        findings.pass("loaded code", "its executable, the system's, and what its manifest names")
        findings.pass("tracer", "no process traces it")
        if let manifest = proof.manifest {
            let isNoted = findings.succeeds("record") { () throws(IdentityError) in
                try learned.note(manifest, path: proof.path)
            }
            guard isNoted else { return nil }
        }
        record = learned
        return IdentifiedPeer.Program(proof: proof, code: code)
    }

    private func identity(
        _ proof: ProgramProof?,
        _ unit: String?,
        isForeign: Bool,
        isConfined: Bool,
        _ findings: IdentityFindings
    ) -> ClientIdentity {
        let reserved =
            proof?.reservedGroups ?? RootManifest.Folder(options.rootManifestFolder, options.trust).exclusiveGroups
        var kinds: [(ClientIdentity.Kind, String)] = []
        var groups: [String] = []
        if let manifest = proof?.manifest {
            kinds.append((.signed(manifest.team), manifest.applicationIdentifier))
            groups += manifest.accessGroups
        }
        if let root = proof?.root {
            kinds.append((.rootManifest(root.file), root.manifest.applicationIdentifier))
            groups += root.manifest.accessGroups.filter { !groups.contains($0) }
        }
        if let unit {
            kinds.append((.systemUnit(unit), unit))
            groups.append("systemd/\(unit)")
        }
        return ClientIdentity(
            kinds.first?.0 ?? .anonymous,
            applicationIdentifier: kinds.first?.1,
            ownedGroups: groups,
            ownedPrefix: unit.map { "systemd/\($0)/" },
            isConfined: proof != nil || isConfined,
            isSandboxed: isForeign,
            hasOwnerRights: proof?.root?.manifest.hasOwnerRights ?? false,
            reservedGroups: reserved,
            reasons: findings.reasons
        )
    }
}
