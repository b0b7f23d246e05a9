// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import HostFiles
import KeychainCore
import KeychainServer

/// Admits every process of the user whom the daemon serves, and nobody else's.
final class UserAdmission: Admission {
    private let keychain: any KeychainBackend
    private let user: uid_t
    private let proofs = PasscodeProofs()

    private let life: DaemonLife

    init(_ keychain: any KeychainBackend, user: uid_t = geteuid(), life: DaemonLife) {
        self.keychain = keychain
        self.user = user
        self.life = life
    }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        var process: pid_t = 0
        var user: uid_t = 0
        let failure = keychain_peer(socket, &process, &user)
        guard failure == 0 else {
            throw KeychainError(.notAvailable, "it is not known who connects", facts: ["errno": "\(failure)"])
        }
        guard user == self.user else {
            throw KeychainError(
                .missingEntitlement,
                "this keychain daemon serves user \(self.user) and no other; run one of your own",
                facts: ["user": "\(user)"]
            )
        }
        return AnonymousPeer(instance(process), keychain, proofs, life)
    }

    /// The process; one that this one cannot see, as in a container of its own, is another with each connection.
    private func instance(_ process: pid_t) -> ProcessInstance {
        if process > 0, let startTime = ProcessStartTime.of(process) {
            return ProcessInstance(identifier: process, startTime: startTime)
        }
        return ProcessInstance(identifier: 0, startTime: life.nextNumber())
    }
}
