// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Foundation
import Glibc
import KeychainClient
import KeychainTestSupport
import KeychainWire

/// The system service of this build, with its keychains and its socket in a folder of a test, as a user that has
/// nothing else.
///
/// Only root can start it so. It is killed when the object goes away.
package final class SystemServiceFolder {
    /// As whom it runs.
    package static let user: uid_t = 64_123

    /// Whether this process may run programs as other users.
    package static let isPossible = geteuid() == 0 && access(setpriv, X_OK) == 0

    /// Whether it may let the service look at other users' programs, which many containers do not: CAP_SYS_PTRACE
    /// (capabilities(7)).
    package static let mayLookAtPrograms = isPossible && hasCapability(19)

    /// Whether it may choose the numbers of processes (clone(2)), and let other users do that: CAP_SYS_ADMIN.
    package static let mayChooseNumbers = isPossible && hasCapability(21)

    private static func hasCapability(_ capability: UInt64) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapPrm:") }),
            let set = UInt64(line.dropFirst("CapPrm:".count).trimmingCharacters(in: .whitespaces), radix: 16)
        else { return false }
        return set >> capability & 1 == 1
    }

    private static let setpriv = "/usr/bin/setpriv"

    /// Where it listens.
    package let socket: SocketLocation

    /// The folder of its keychains.
    package let store: String

    /// Its process.
    package private(set) var process: pid_t = 0

    private let folder: TemporaryFolder
    private let looksAtPrograms: Bool
    private let options: [String]

    /// Why a service is of no use to a test.
    package struct Failure: Error {
        /// What went wrong.
        package let reason: String
    }

    /// Starts a service.
    ///
    /// - Parameters:
    ///   - looksAtPrograms: whether it may inspect other users' programs.
    ///   - options: further options of it.
    /// - Throws: ``Failure`` if it does not start.
    package init(looksAtPrograms: Bool = false, options: [String] = []) throws {
        self.looksAtPrograms = looksAtPrograms
        self.options = options
        folder = try TemporaryFolder(prefix: "ks")
        store = folder.path(of: "store")
        socket = SocketLocation(path: folder.path(of: "run/keychaind.sock"), isSystemService: true)
        guard chmod(folder.path, 0o755) == 0 else { throw Failure(reason: "chmod: \(errno)") }
        try make(store, mode: 0o700, owner: Self.user)
        try make(socket.folder, mode: 0o755, owner: Self.user)
        try start()
    }

    deinit { if process > 1 { kill(process, SIGKILL) } }

    /// Starts it; returns when it listens.
    package func start() throws {
        var prefix = Self.asUser(Self.user)
        if looksAtPrograms { prefix += ["--inh-caps=+sys_ptrace", "--ambient-caps=+sys_ptrace"] }
        let shell = Shell(environment: ["PATH": "/usr/bin:/bin"], prefix: prefix)
        let outcome = try shell.run(
            "keychaind",
            ["--system", "--background", "--store", store, "--socket", socket.path] + options
        )
        guard outcome.status == 0 else { throw Failure(reason: "\(outcome)") }
        process = try listener()
    }

    /// Kills it; returns when it is gone.
    package func stop() {
        // The number 0 would mean every process of the tests.
        guard process > 1 else { return }
        kill(process, SIGKILL)
        // It is no child of this process; its socket is refused once it is gone.
        _ = eventually("its socket is refused") { (try? listener()) == nil }
        process = 0
    }

    /// Kills it, and starts another one.
    package func restart() throws {
        stop()
        try start()
    }

    /// The arguments that hand a keychain over to it, without a passcode.
    package var enable: String { "service enable --system --no-passcode --socket \(socket.path)" }

    /// The tools as a user has them, whose home is a folder of their own.
    package func shell(of user: uid_t) throws -> Shell {
        let home = folder.path(of: "home-\(user)")
        if access(home, F_OK) != 0 { try make(home, mode: 0o700, owner: user) }
        let environment = [
            "HOME": home, "XDG_DATA_HOME": home, "XDG_RUNTIME_DIR": home, "SWIFT_KEYCHAIN_AUTHENTICATOR": "none",
            "PATH": "/usr/bin:/bin",
        ]
        return Shell(environment: environment, prefix: Self.asUser(user))
    }

    /// The same, once the service has that user's keychain.
    package func enabledShell(of user: uid_t) throws -> Shell {
        let shell = try shell(of: user)
        let outcome = try shell.control(enable)
        guard outcome.status == 0 else { throw Failure(reason: "\(outcome)") }
        return shell
    }

    /// A path in a folder of root that others may look into.
    package func path(of name: String) -> String { folder.path(of: name) }

    /// The beginning of a command that a user runs.
    package static func asUser(_ user: uid_t) -> [String] {
        [setpriv, "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
    }

    private func make(_ path: String, mode: mode_t, owner: uid_t) throws {
        guard mkdir(path, mode) == 0, chmod(path, mode) == 0, chown(path, owner, owner) == 0 else {
            throw Failure(reason: "\(path): \(errno)")
        }
    }

    private func listener() throws -> pid_t {
        let descriptor = keychain_open_private_socket()
        defer { keychain_close_private(descriptor) }
        var process: pid_t = 0
        var user: uid_t = 0
        let failure = try socket.withShortPath { keychain_connect(descriptor, $0) }
        guard failure == 0, keychain_peer(descriptor, &process, &user) == 0, user == Self.user else {
            throw Failure(reason: "nobody listens: \(failure)")
        }
        return process
    }
}
