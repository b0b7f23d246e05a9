// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// Identifies a program (Identity, "What proves it").
///
/// The first of these applies: a Flatpak application or a snap; otherwise all other proofs together, which are a
/// manifest that a team signed, a root-owned manifest, and the system service that it runs in.
package struct ProgramExaminer: Sendable {
    let options: IdentityOptions
    let hashes: ExecutableHashes
    private let system = SystemCode()
    private let store: String?

    /// Creates an examiner that searches for proofs in these places.
    ///
    /// - Parameters:
    ///   - options: the places.
    ///   - store: the folder of the keychain that programs use; `nil` if there is none.
    package init(_ options: IdentityOptions, store: String? = nil) {
        self.options = options
        hashes = ExecutableHashes(options.trust)
        self.store = store
    }

    /// Identifies a process.
    ///
    /// - Parameters:
    ///   - peer: the process.
    ///   - record: the record, to which the manifests of this process are added.
    ///   - deadline: when nothing more is examined; `nil` for never.
    /// - Returns: The process and its identity: anonymous if nothing is proved, with the reasons.
    package func identify(
        _ peer: PeerProcess,
        _ record: inout IdentityRecord,
        until deadline: Deadline? = nil
    ) -> IdentifiedPeer {
        identify(peer, label: peer.securityLabel, group: peer.controlGroup(), record: &record, until: deadline)
    }

    /// The same for a process with this label of a security module, in this control group.
    func identify(
        _ peer: PeerProcess,
        label: String?,
        group: ControlGroup?,
        record: inout IdentityRecord,
        until deadline: Deadline? = nil
    ) -> IdentifiedPeer {
        var findings = IdentityFindings()
        let exactness = peer.isExact ? "" : ", known by its PID alone"
        findings.addPassed("process", "process \(peer.identifier) of user \(peer.user)\(exactness)")
        let foreign = findings.attempt("namespaces") { () throws(IdentityError) in try peer.foreignViews() }
        if let identity = sandbox(of: peer, label: label, foreign: foreign ?? [], group: group, findings: &findings) {
            return IdentifiedPeer(peer, as: Identification(identity: identity, checks: findings.checks))
        }
        let unit = group?.systemUnit
        var program: IdentifiedPeer.Program?
        if let foreign, foreign.isEmpty {
            findings.addPassed("namespaces", "it has the same view of the system")
            let effort = peer.effort(options.limits, until: deadline)
            program = running(peer, unit: unit, effort, findings: &findings, record: &record)
        } else if let foreign {
            findings.addFailed(
                "namespaces",
                "it has another view of the system (its own \(foreign.joined(separator: " and "))), so it counts as in an "
                    + "unidentified sandbox"
            )
        }
        addRecordCheck(&findings)
        if let unit { findings.addPassed("service", "it runs in the system service \(unit)") }
        let isForeign = foreign?.isEmpty != true
        // A process that could use the store without a daemon gets no less with one.
        let hasStore = isForeign && (store.map(peer.canWrite(toFolder:)) ?? false)
        if hasStore { findings.addAbsent("store", "it can write to the keychain's folder itself") }
        let identity = identity(
            from: program?.proof,
            unit: unit,
            path: isForeign ? nil : peer.executablePathOnDisk,
            isForeign: isForeign,
            isConfined: isForeign && !hasStore,
            findings: &findings,
            record: record
        )
        return IdentifiedPeer(peer, as: Identification(identity: identity, checks: findings.checks), program: program)
    }

    /// Identifies a process that would be started from an executable, as far as possible in advance.
    ///
    /// - Parameters:
    ///   - path: the executable.
    ///   - record: the record.
    /// - Returns: Its identity, anonymous if nothing is proved, and the checks that led to it.
    package func identify(programAt path: String, _ record: IdentityRecord) -> Identification {
        var findings = IdentityFindings()
        var record = record
        let executable = findings.attempt("executable") { () throws(IdentityError) in try Executable(path: path) }
        var proof: ProgramProof?
        var path: String?
        if let executable {
            path = executable.path
            proof = ProgramProof.find(
                for: executable,
                options: options,
                hashes: hashes,
                findings: &findings,
                record: &record
            )
        }
        addRecordCheck(&findings)
        if proof != nil { findings.addAbsent("process", "its loaded code and its tracer are checked when it connects") }
        let identity = identity(
            from: proof,
            unit: nil,
            path: path,
            isForeign: false,
            isConfined: false,
            findings: &findings,
            record: record
        )
        return Identification(identity: identity, checks: findings.checks)
    }

    private func addRecordCheck(_ findings: inout IdentityFindings) {
        guard options.isForSystemService else { return }
        findings.addAbsent(
            "record",
            "the system service owns the keychain, and it alone knows which versions, revocations and earlier programs it "
                + "has seen: it may refuse what is valid here"
        )
    }

    private func sandbox(
        of peer: PeerProcess,
        label: String?,
        foreign: [String],
        group: ControlGroup?,
        findings: inout IdentityFindings
    ) -> ClientIdentity? {
        if let label, let snap = SnapLabel(label) {
            // snapd starts every program in a control group of its snap; a system may have none at all.
            if let group, group.snap != snap.snap {
                let other = group.snap.map { "that of \($0)" } ?? "that of no snap"
                findings.addFailed("snap", "its label is that of the snap \(snap.snap), its control group \(other)")
                return nil
            }
            findings.addPassed("snap", "its label is that of \(snap.application) of the snap \(snap.snap)")
            return ClientIdentity(snap: snap.snap, application: "snap.\(snap.snap).\(snap.application)")
        }
        guard foreign.contains("mount namespace"),
            let text = peer.contents(
                ofFileInRoot: FlatpakInformation.fileName,
                limit: FlatpakInformation.largestByteCount
            )
        else { return nil }
        guard let information = FlatpakInformation(text: text) else {
            findings.addFailed(
                "flatpak",
                "the file \(FlatpakInformation.fileName) in its root folder names no application"
            )
            return nil
        }
        let application = information.application
        findings.addPassed("flatpak", "it runs in a Flatpak sandbox as \(application)")
        return ClientIdentity(flatpak: application)
    }

    /// The proofs of a running process from its code.
    private func running(
        _ peer: PeerProcess,
        unit: String?,
        _ effort: CheckEffort,
        findings: inout IdentityFindings,
        record: inout IdentityRecord
    ) -> IdentifiedPeer.Program? {
        let hashes = hashes.within(effort)
        guard
            let executable = findings.attempt("executable", { () throws(IdentityError) in try peer.openExecutable() })
        else { return nil }
        var learned = record
        guard
            let proof = ProgramProof.find(
                for: executable,
                options: options,
                hashes: hashes,
                findings: &findings,
                record: &learned
            )
        else { return nil }
        let code = findings.attempt("loaded code") { () throws(IdentityError) in
            try CheckedCode(
                of: peer,
                LoadedCode(trust: options.trust, hashes: hashes, system: system),
                LoadedCode.Allowance(
                    executable: proof.mark,
                    code: proof.code,
                    libraries: proof.libraries,
                    isJIT: proof.isJIT
                )
            )
        }
        let states = findings.attempt("tracer") { () throws(IdentityError) in
            let states = try peer.threadStates()
            for state in states { try state.checkIsUntraced() }
            return states
        }
        let isPlain = findings.succeeds("privileges") { () throws(IdentityError) in
            for state in states ?? [] { try state.checkPrivileges() }
        }
        let isStartedPlainly = startsPlainly(peer, proof: proof, findings: &findings)
        let isUnfiltered = states.map { callsSystem($0, proof: proof, unit: unit, findings: &findings) } ?? false
        let isAlone = findings.attempt("memory") { () throws(IdentityError) in try peer.checkMemoryIsItsOwn() }
        guard let code, states != nil, isPlain, isStartedPlainly, isUnfiltered, let isAlone else { return nil }
        findings.addPassed("loaded code", "its executable, system files, and libraries that its manifest lists")
        findings.addPassed("tracer", "no process is tracing it")
        findings.addPassed("privileges", "it cannot appear to run another executable")
        if isAlone {
            findings.addPassed("memory", "no other process shares its memory")
        } else {
            findings.addAbsent("memory", "this kernel does not say whether another process shares its memory (kcmp(2))")
        }
        if let manifest = proof.manifest {
            let isRecorded = findings.succeeds("record") { () throws(IdentityError) in
                try learned.recordConnection(of: manifest, path: proof.path)
            }
            guard isRecorded else { return nil }
        }
        record = learned
        return IdentifiedPeer.Program(proof: proof, code: code)
    }

    /// Whether no library was loaded into it by a variable with which it was started, as far as that can be seen.
    private func startsPlainly(
        _ peer: PeerProcess,
        proof: ProgramProof,
        findings: inout IdentityFindings
    ) -> Bool {
        if proof.allowsPreload {
            findings.addAbsent("environment", "its manifest allows variables that load libraries (LD_PRELOAD)")
            return true
        }
        // The system service does not see what this process sees.
        let isSeen = findings.attempt("environment") { () throws(IdentityError) in
            options.isForSystemService ? false : try peer.checkLoaderVariables(options.trust)
        }
        switch isSeen {
        case true?:
            findings.addPassed("environment", "it was started without variables that load libraries (LD_PRELOAD)")
        case false?:
            findings.addAbsent("environment", "the system service does not see with which variables it was started")
        case nil: return false
        }
        return true
    }

    /// Whether its system calls are answered by the system, as far as that can be seen.
    private func callsSystem(
        _ states: [PeerProcess.State],
        proof: ProgramProof,
        unit: String?,
        findings: inout IdentityFindings
    ) -> Bool {
        if proof.allowsFilters {
            findings.addAbsent("seccomp", "its manifest allows filters of system calls")
            return true
        }
        // Units of the system have filters of the service manager's (SystemCallFilter=).
        if let unit {
            findings.addAbsent("seccomp", "filters of system calls are those of the service \(unit)")
            return true
        }
        guard findings.succeeds("seccomp", { () throws(IdentityError) in try SystemCallFilters.check(states) }) else {
            return false
        }
        findings.addPassed("seccomp", "its system calls are not filtered by who started it")
        return true
    }

    private func identity(
        from proof: ProgramProof?,
        unit: String?,
        path: String?,
        isForeign: Bool,
        isConfined: Bool,
        findings: inout IdentityFindings,
        record: IdentityRecord
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
        let loss = findings.lostIdentity(of: path, application: kinds.first?.1, groups: groups, record: record)
        return ClientIdentity(
            kinds.first?.0 ?? .anonymous,
            applicationIdentifier: kinds.first?.1,
            ownedGroups: groups,
            ownedPrefix: unit.map { "systemd/\($0)/" },
            isConfined: proof != nil || isConfined,
            isSandboxed: isForeign,
            hasOwnerRights: proof?.root?.manifest.hasOwnerRights ?? false,
            hasManagerRights: proof?.root?.manifest.hasManagerRights ?? false,
            reservedGroups: reserved,
            reasons: findings.reasons,
            loss: loss
        )
    }
}
