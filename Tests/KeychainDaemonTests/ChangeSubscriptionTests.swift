// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainCore
import KeychainTestSupport
import KeychainWire
import Testing

/// A subscription to changes beside a socket that is there before its daemon is.
struct ChangeSubscriptionTests {
    @Test("a daemon that begins to listen long after its socket was created is found")
    func lateListener() throws {
        let folder = try TemporaryFolder(prefix: "kd")
        let path = folder.path(of: "s")
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        #expect(Self.bind(socket, to: path))
        var options = ClientOptions()
        (options.returnMilliseconds, options.retryMilliseconds) = (1, 10)
        let program = DaemonKeychain(at: SocketLocation(path: path), options: options)
        let observation = program.observeChanges(as: Client(accessGroups: ["shared"])) { _ in }
        // Many attempts.
        usleep(500_000)
        #expect(listen(socket, 1) == 0)
        var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ready, 1, 60_000) == 1, "nobody connects")
        withExtendedLifetime(observation) {}
    }

    private static func bind(_ socket: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
