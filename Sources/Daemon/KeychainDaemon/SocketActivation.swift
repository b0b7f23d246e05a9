// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The listening sockets that a service manager opened for this process (sd_listen_fds(3)).
enum SocketActivation {
    /// The first descriptor that is passed on (`SD_LISTEN_FDS_START`).
    private static let first: Int32 = 3

    /// Takes the sockets: they are closed on exec from now on, and children do not inherit the variables.
    ///
    /// - Returns: Their descriptors; none when the process was started in another way.
    /// - Throws: ``DaemonFailure`` for a descriptor that is not a listening Unix stream socket.
    static func takeSockets() throws(DaemonFailure) -> [Int32] {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
        return try sockets(process: value("LISTEN_PID"), count: value("LISTEN_FDS"))
    }

    /// What the variables of the environment stand for.
    static func sockets(
        process: String?,
        count: String?,
        ownProcess: Int32 = getpid(),
        first: Int32 = first
    ) throws(DaemonFailure) -> [Int32] {
        // They may be those of the process that started this one.
        guard let process, Int32(process) == ownProcess else { return [] }
        guard let count = count.flatMap({ Int32($0) }), (1...64).contains(count) else {
            throw DaemonFailure("LISTEN_FDS is not a valid number of sockets")
        }
        let descriptors = Array(first..<first + count)
        for descriptor in descriptors {
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, isListeningUnixSocket(descriptor) else {
                throw DaemonFailure(
                    "descriptor \(descriptor) of the service manager is not a listening Unix stream socket"
                )
            }
        }
        return descriptors
    }

    private static func isListeningUnixSocket(_ descriptor: Int32) -> Bool {
        option(descriptor, SO_DOMAIN) == AF_UNIX && option(descriptor, SO_TYPE) == Int32(SOCK_STREAM.rawValue)
            && option(descriptor, SO_ACCEPTCONN) == 1
    }

    private static func option(_ descriptor: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
