// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The listening sockets that a service manager opened for this process, by the protocol of sd_listen_fds(3).
package enum SocketActivation {
    /// What is wrong with what the service manager has passed on.
    package struct Failure: Error, CustomStringConvertible {
        /// One sentence.
        package let description: String
    }

    /// The first descriptor (`SD_LISTEN_FDS_START`).
    private static let firstDescriptor: Int32 = 3

    private static let variables = ["LISTEN_PID", "LISTEN_PIDFDID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Takes the sockets: they are closed on exec from now on, and children do not inherit the variables.
    ///
    /// - Returns: Their descriptors; empty if the process was started in another way.
    /// - Throws: ``Failure`` for a descriptor that is not a listening Unix stream socket.
    package static func adoptSockets() throws(Failure) -> [Int32] {
        defer { for variable in variables { unsetenv(variable) } }
        guard let process = ProcessEnvironment.value("LISTEN_PID"), let number = ProcessEnvironment.value("LISTEN_FDS")
        else { return [] }
        // Those of another process, which has passed the variables on.
        if let process = pid_t(process), process > 0, process != getpid() { return [] }
        guard process == "\(getpid())", let count = Int32(number), (0...Int32.max - firstDescriptor).contains(count)
        else {
            throw Failure(description: "LISTEN_PID and LISTEN_FDS are not valid")
        }
        let descriptors = firstDescriptor..<firstDescriptor + count
        for descriptor in descriptors {
            guard isListeningUnixSocket(descriptor), fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
                throw Failure(
                    description: "descriptor \(descriptor) of the service manager is not a listening Unix stream socket"
                )
            }
        }
        return Array(descriptors)
    }

    /// Whether a descriptor is such a socket.
    package static func isListeningUnixSocket(_ descriptor: Int32) -> Bool {
        option(SO_DOMAIN, of: descriptor) == AF_UNIX && option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
            && option(SO_ACCEPTCONN, of: descriptor) == 1
    }

    /// A number that getsockopt(2) returns; `nil` for a descriptor that is no socket.
    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
}
