// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainServer

/// Admits every process of the user whom the daemon serves, and no other process.
final class UserAdmission: Admission {
    private let programs: ServedPrograms
    private let user: uid_t

    init(_ programs: ServedPrograms, user: uid_t = geteuid()) {
        self.programs = programs
        self.user = user
    }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        let user = try PeerUser.of(socket)
        guard user == self.user else {
            throw KeychainError(
                .missingEntitlement,
                "this keychain daemon serves only user \(self.user); run your own",
                facts: ["user": "\(user)"]
            )
        }
        return try programs.program(at: socket)
    }
}

/// The user as whom a process connected.
enum PeerUser {
    /// The effective user of the process, at the time when it connected (`SO_PEERCRED`, unix(7)).
    static func of(_ socket: Int32) throws(KeychainError) -> uid_t {
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
        return user
    }
}
