// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainAudit
import KeychainCore
import KeychainIdentity
import KeychainServer
import KeychainWire

/// Admits every process of the user whom the daemon serves, and no other process.
final class UserAdmission: Admission {
    private let keychain: any ServedKeychain
    private let identities: IdentityService
    private let user: uid_t
    private let proofs: PasscodeProofs
    private let life: DaemonLife
    private let audit: AuditLog?

    init(
        _ keychain: any ServedKeychain,
        identities: IdentityService,
        user: uid_t = geteuid(),
        proofs: PasscodeProofs,
        life: DaemonLife,
        audit: AuditLog? = nil
    ) {
        self.keychain = keychain
        self.identities = identities
        self.user = user
        self.proofs = proofs
        self.life = life
        self.audit = audit
    }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        audit?.followSettings()
        var process: pid_t = 0
        var user: uid_t = 0
        let failure = keychain_peer(socket, &process, &user)
        guard failure == 0 else {
            throw KeychainError(
                .notAvailable,
                "the process that connects cannot be determined",
                facts: ["errno": "\(failure)"]
            )
        }
        do throws(KeychainError) {
            return try admit(socket, of: user)
        } catch {
            let caller = AuditCaller(user: user, process: process, program: nil, identity: "unknown")
            if let audit { AuditedProgram(caller, audit).noteRefusal(error) }
            throw error
        }
    }

    private func admit(_ socket: Int32, of user: uid_t) throws(KeychainError) -> any ConnectedPeer {
        guard user == self.user else {
            throw KeychainError(
                .missingEntitlement,
                "this keychain daemon serves only user \(self.user); run your own",
                facts: ["user": "\(user)"]
            )
        }
        // No reply is sent before, so a process sends its first command as the program that was identified.
        let peer = try identities.identify(socket: socket, greetingByteCount: Greeting.byteCount)
        let instance = ProcessInstance(identifier: peer.process.identifier, startTime: peer.process.startTime)
        let audited = audit.map { AuditedProgram(peer, $0) }
        return UserProgram(
            instance,
            peer.identity,
            keychain,
            proofs,
            life,
            audited: audited,
            executable: { peer.executable },
            lookAgain: { () throws(KeychainError) in try peer.confirm() }
        )
    }
}
