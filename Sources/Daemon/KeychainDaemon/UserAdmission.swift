// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainSecretService
import KeychainServer
import KeychainWire

/// Admits every process of the user whom the daemon serves, and no other process.
package final class UserAdmission: Admission {
    private let programs: ServedPrograms
    private let user: uid_t
    private let folder: ServedFolder?
    private let greetingByteCount: Int

    /// Creates an admission to a service.
    ///
    /// - Parameters:
    ///   - programs: the keychain, and how they are identified.
    ///   - folder: the served folder; `nil` if there is none.
    ///   - user: the user whose programs are admitted.
    ///   - greetingByteCount: the number of bytes that a process may have sent before it is identified. They must not
    ///     be part of a request: the process may have sent them as another program.
    init(
        _ programs: ServedPrograms,
        of folder: ServedFolder? = nil,
        user: uid_t = geteuid(),
        greetingByteCount: Int = Greeting.byteCount
    ) {
        self.programs = programs
        self.folder = folder
        self.user = user
        self.greetingByteCount = greetingByteCount
    }

    /// Whether another folder has replaced the served one: its programs immediately need another daemon.
    package var isOver: Bool {
        guard let folder, folder.isReplaced else { return false }
        programs.life.end(because: "its folder was replaced or removed")
        return true
    }

    /// An admission to a keychain that has no daemon around it: nothing is logged, and nothing ends.
    package convenience init(_ keychain: EmbeddedKeychain, _ identities: IdentityService) {
        let life = DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
        self.init(ServedPrograms(keychain: keychain, identities: identities, proofs: PasscodeProofs(), life: life))
    }

    /// Identifies a process that has connected.
    package func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        try admit(try PeerUser(socket)) { () throws(KeychainError) in
            try programs.program(at: socket, greetingByteCount: greetingByteCount)
        }
    }

    private func admit(
        _ peer: PeerUser,
        _ identify: () throws(KeychainError) -> UserProgram
    ) throws(KeychainError) -> any ConnectedPeer {
        let audit = programs.audit
        audit?.reloadSettings()
        do throws(KeychainError) {
            guard peer.user == user else {
                throw KeychainError(
                    .missingEntitlement,
                    "this keychain daemon serves only user \(user); run your own",
                    facts: ["user": "\(peer.user)"]
                )
            }
            return try identify()
        } catch {
            audit?.recordRefusal(of: peer, error)
            throw error
        }
    }
}

/// Programs that connect to a message bus.
extension UserAdmission: BusAdmission {
    /// Identifies the process of a connection to a bus.
    package func admit(_ caller: BusCaller) throws(KeychainError) -> any ConnectedPeer {
        try admit(PeerUser(process: caller.process, user: caller.user)) { () throws(KeychainError) in
            try programs.program(of: caller)
        }
    }
}

/// Sandboxed programs for which a portal asks.
extension UserAdmission: PortalAdmission {
    /// The program with the identity of its sandbox.
    package func admit(
        application: String,
        askedBy portal: any ConnectedPeer
    ) throws(KeychainError) -> any ConnectedPeer {
        guard let portal = portal as? UserProgram, let identity = ClientIdentity(sandboxedAs: application) else {
            throw KeychainError(.missingEntitlement, "the portal names no sandboxed program")
        }
        return portal.acting(as: identity)
    }
}

/// The process that connected, and the user as whom it did.
struct PeerUser {
    let process: pid_t
    let user: uid_t

    /// A process and a user that a message bus names.
    init(process: pid_t, user: uid_t) {
        self.process = process
        self.user = user
    }

    /// The process and its effective user, at the time when it connected (`SO_PEERCRED`, unix(7)).
    init(_ socket: Int32) throws(KeychainError) {
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
        self.process = process
        self.user = user
    }
}
