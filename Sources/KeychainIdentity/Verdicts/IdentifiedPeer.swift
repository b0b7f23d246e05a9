// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A process of which it is known who it is, and that can be looked at again.
public struct IdentifiedPeer: Sendable {
    /// The process.
    public let process: PeerProcess

    /// Who it is, and how that was found.
    public let identification: Identification

    /// What it must still run when it is looked at again; `nil` when nothing follows from what it runs.
    private let program: Program?

    struct Program: Sendable {
        let proof: ProgramProof
        let code: CheckedCode
    }

    init(_ process: PeerProcess, _ identification: Identification, _ program: Program? = nil) {
        self.process = process
        self.identification = identification
        self.program = program
    }

    /// Who it is.
    public var identity: ClientIdentity { identification.identity }

    /// What the process runs now; `nil` where that cannot be looked at, and when it has ended.
    public var executable: FileMark? {
        do throws(IdentityError) { return try process.executableMark() } catch { return nil }
    }

    /// The manifest that speaks for it, and the path of its executable.
    var signed: (manifest: ProgramManifest, path: String)? {
        guard let proof = program?.proof, let manifest = proof.manifest else { return nil }
        return (manifest, proof.path)
    }

    /// Looks again whether the process is still there and, where its identity follows from what it runs, whether it
    /// still runs that, has loaded no other code, and nobody traces it.
    ///
    /// - Throws: ``KeychainError`` of `errSecMissingEntitlement` when not; nothing more may be sent to it.
    public func confirm() throws(KeychainError) {
        do throws(IdentityError) { try look() } catch {
            throw KeychainError(.missingEntitlement, "process \(process.identifier) is not answered: \(error)")
        }
    }

    private func look() throws(IdentityError) {
        guard let program else { return }
        guard let mark = try process.executableMark() else { throw IdentityError("it has ended") }
        guard mark.isSameFile(as: program.proof.mark) else {
            throw IdentityError("it runs another program than when it connected")
        }
        if mark != program.proof.mark {
            // A link to the file may have come or gone; only its contents matter.
            let executable = try process.openContents()
            let (digest, _) = try program.code.hashes.digest(of: executable.number, program.proof.path)
            guard digest == program.proof.digest else { throw IdentityError("its executable was changed") }
        }
        let state = try process.state()
        try state.checkIsUntraced()
        try program.code.check(process, state)
    }
}
