// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost

/// A running pinentry, which is terminated with the object.
final class PinentryProcess {
    /// The socket that is its standard input and output.
    let socket: Int32
    private let identifier: pid_t

    /// The time to restore the screen before it is killed, in milliseconds.
    private static let patience: Int32 = 1000

    /// Starts a program without arguments.
    init?(path: String, environment: [String: String]) {
        var socket: Int32 = -1
        var identifier: pid_t = 0
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let error = CStringVector.with([path]) { arguments in
            CStringVector.with(variables) { keychain_spawn(path, arguments, $0, &socket, &identifier) }
        }
        guard error == 0 else { return nil }
        self.socket = socket
        self.identifier = identifier
    }

    deinit {
        end()
        close(socket)
    }

    /// Asks it to end, after a prompt that was not answered.
    func terminate() {
        if isOurs { kill(identifier, SIGTERM) }
    }

    private func end() {
        // It reads the end of its input, and closes its side when it ends.
        shutdown(socket, Int32(SHUT_WR))
        var state = pollfd(fd: socket, events: 0, revents: 0)
        poll(&state, 1, Self.patience)
        if isOurs {
            kill(identifier, SIGKILL)
            while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
        }
    }

    /// Whether the process identifier is still that of our child: it is reaped only here, at its end.
    private var isOurs: Bool {
        var information = siginfo_t()
        return waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0
    }
}
