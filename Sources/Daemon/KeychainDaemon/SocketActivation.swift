// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// The listening sockets that a service manager opened for this process (sd_listen_fds(3)).
enum SocketActivation {
    /// Takes the sockets: they are closed on exec from now on, and children do not inherit the variables.
    ///
    /// - Returns: Their descriptors; empty if the process was started in another way.
    /// - Throws: ``DaemonFailure`` for a descriptor that is not a listening Unix stream socket.
    static func adoptSockets() throws(DaemonFailure) -> [Int32] {
        let count = sd_listen_fds(1)
        guard count >= 0 else { throw DaemonFailure("LISTEN_PID and LISTEN_FDS are not valid") }
        let descriptors = Array(SD_LISTEN_FDS_START..<SD_LISTEN_FDS_START + count)
        for descriptor in descriptors where !isListeningUnixSocket(descriptor) {
            throw DaemonFailure("descriptor \(descriptor) of the service manager is not a listening Unix stream socket")
        }
        return descriptors
    }

    static func isListeningUnixSocket(_ descriptor: Int32) -> Bool {
        sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0
    }
}
