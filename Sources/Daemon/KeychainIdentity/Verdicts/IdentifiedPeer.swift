// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A process that was identified, and can be checked again.
package struct IdentifiedPeer: Sendable {
    /// The process.
    package let process: PeerProcess

    /// Its identity, and the checks that led to it.
    package let identification: Identification

    /// The executable that it must still run when it is checked again; `nil` if its identity does not depend on it.
    private let program: Program?

    /// Fails once its manifest was revoked.
    private let revocation: RevocationCheck?

    struct Program: Sendable {
        let proof: ProgramProof
        let code: CheckedCode
    }

    init(
        _ process: PeerProcess,
        as identification: Identification,
        program: Program? = nil,
        revocation: RevocationCheck? = nil
    ) {
        self.process = process
        self.identification = identification
        self.program = program
        self.revocation = revocation
    }

    /// The same process, whose manifest may be revoked while it is connected.
    func checked(by revocation: RevocationCheck) -> IdentifiedPeer {
        IdentifiedPeer(process, as: identification, program: program, revocation: revocation)
    }

    /// Its identity.
    package var identity: ClientIdentity { identification.identity }

    /// The executable that the process runs now; `nil` if that cannot be inspected, or the process has exited.
    package var executable: FileMark? {
        do throws(IdentityError) { return try process.executableMark() } catch { return nil }
    }

    /// The approximate number of bytes of what is kept of its signed manifest: the text, and what was read of it.
    package var keptByteCount: Int { 4 * (signedProof?.manifest?.document.text.utf8.count ?? 0) }

    /// The signed manifest that identifies it; `nil` if there is none.
    var signedProof: ProgramProof? { program?.proof.manifest == nil ? nil : program?.proof }

    /// Checks again, if its identity depends on its executable, that the process has not exited, still runs that
    /// executable, has loaded no other code, has no privileges, is not being traced and shares its memory with no
    /// other process, and that its manifest was not revoked.
    ///
    /// Tracers of threads other than the first, code of the same size, and processes that share its memory are detected
    /// after a second at the latest.
    ///
    /// - Throws: ``KeychainError`` of `errSecMissingEntitlement` otherwise; nothing more may be sent to it.
    package func confirm() throws(KeychainError) {
        do throws(IdentityError) { try inspect() } catch {
            throw KeychainError(.missingEntitlement, "process \(process.identifier) gets no reply: \(error)")
        }
    }

    private func inspect() throws(IdentityError) {
        guard let program else { return }
        try revocation?.check()
        guard let mark = try process.executableMark() else { throw IdentityError("it has exited") }
        guard mark.isSameFile(as: program.proof.mark) else {
            throw IdentityError("it runs another program than when it connected")
        }
        let state = try process.state()
        try state.checkIsUntraced()
        try state.checkPrivileges()
        // Some versions of Linux (6.11, 6.12) allow writing to a running executable, which its mark need not show; and
        // adding or removing a hard link changes only the mark.
        if try program.code.check(process, state) || mark != program.proof.mark {
            for state in try process.threadStates() {
                try state.checkIsUntraced()
                try state.checkPrivileges()
            }
            _ = try process.checkMemoryIsItsOwn()
            let executable = try process.openContents()
            let hashes = program.code.hashes(for: process)
            let (digest, _) = try hashes.digest(of: executable.number, program.proof.path)
            guard digest == program.proof.digest else { throw IdentityError("its executable was modified") }
        }
    }
}
