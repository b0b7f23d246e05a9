// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// A running pinentry, which is terminated with the object.
final class PinentryProcess {
    /// The socket that is its standard input and output.
    var socket: Int32 { program.socket }
    private let program: SpawnedProgram

    /// The time to restore the screen before it is killed, in milliseconds.
    private static let patience: Int32 = 1000

    /// Starts a program without arguments.
    init?(path: String, environment: [String: String]) {
        let variables = environment.map { "\($0.key)=\($0.value)" }
        guard let program = try? SpawnedProgram(path, [path], environment: variables) else { return nil }
        self.program = program
    }

    deinit {
        end()
        close(socket)
    }

    /// Asks it to end, after a prompt that was not answered.
    func terminate() {
        if program.isOurs { kill(program.identifier, SIGTERM) }
    }

    private func end() {
        // It reads the end of its input, and closes its side when it ends.
        shutdown(socket, Int32(SHUT_WR))
        var state = pollfd(fd: socket, events: 0, revents: 0)
        poll(&state, 1, Self.patience)
        program.end()
    }
}
