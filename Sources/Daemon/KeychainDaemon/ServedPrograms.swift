// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainIdentity
import KeychainSecretService
import KeychainServer
import KeychainWire

/// The keychain for a user's programs, and their identification.
struct ServedPrograms: Sendable {
    let keychain: any ServedKeychain
    let identities: IdentityService
    let proofs: PasscodeProofs
    let life: DaemonLife
    /// Whether the keychain is the system service's, rather than that of the user's own daemon.
    var isSystemService = false
    /// Logs their requests; `nil` for no log.
    var audit: AuditLog?

    /// The program that connected.
    ///
    /// No reply is sent before that, so a process sends its first command as the program that was identified.
    ///
    /// - Parameters:
    ///   - socket: the connected socket.
    ///   - greetingByteCount: the number of bytes that the process may have sent already.
    /// - Returns: The program.
    /// - Throws: ``KeychainError`` if the process cannot be identified.
    func program(
        at socket: Int32,
        greetingByteCount: Int = Greeting.byteCount
    ) throws(KeychainError) -> UserProgram {
        let peer = try identities.identify(socket: socket, greetingByteCount: greetingByteCount)
        return program(peer, startTime: peer.process.startTime)
    }

    /// The program of a connection to a message bus.
    ///
    /// - Parameter caller: what the bus says of the connection.
    /// - Returns: The program.
    /// - Throws: ``KeychainError`` if the process cannot be identified.
    func program(of caller: BusCaller) throws(KeychainError) -> UserProgram {
        let peer = try identities.identify(
            onBus: caller.process,
            of: caller.user,
            pidfd: caller.descriptor?.number,
            connectedBefore: caller.connectedBefore
        )
        // What may be another process shares nothing with that one, such as a passcode that was entered there.
        return program(peer, startTime: peer.process.isExact ? peer.process.startTime : nil)
    }

    private func program(_ peer: IdentifiedPeer, startTime: UInt64?) -> UserProgram {
        let instance = ProcessInstance(identifier: peer.process.identifier, startTime: startTime ?? 0)
        return UserProgram(
            instance,
            as: peer.identity,
            keychain: keychain,
            proofs: proofs,
            life: life,
            isSystemService: isSystemService,
            path: peer.process.isExact ? peer.process.executablePathOnDisk : nil,
            audited: audit.map { AuditedProgram(peer, $0) },
            keptByteCount: peer.keptByteCount,
            executable: { startTime == nil ? nil : peer.executable },
            reidentify: { () throws(KeychainError) in try peer.confirm() }
        )
    }
}
