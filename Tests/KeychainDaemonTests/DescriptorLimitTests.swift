// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainCore
import KeychainHost
import KeychainServer
import KeychainTestSupport
import KeychainWire
import Testing

@testable import KeychainDaemon

/// What a daemon does that may have few descriptors.
@Suite(.timeLimit(.minutes(10)))
struct DescriptorLimitTests {
    @Test("there are no more connections than there are descriptors for")
    func connections() {
        #expect(DescriptorLimit.serverOptions(nil) == ServerOptions())
        #expect(DescriptorLimit.serverOptions(1 << 20) == ServerOptions())
        #expect(DescriptorLimit.serverOptions(1024).maximumConnections == 298)
        #expect(DescriptorLimit.serverOptions(1024).maximumConnectionsPerUser == 298)
        #expect(DescriptorLimit.serverOptions(0).maximumConnections == 8)
    }

    @Test("however few connections there are, one user does not take those of others", arguments: [0, 300, 1024, 8192])
    func shareOfUser(_ limit: Int) {
        let options = DescriptorLimit.serverOptions(
            limit,
            .systemService,
            reserving: DescriptorLimit.reservedOfSystemService
        )
        #expect(options.maximumConnections < ServerOptions.systemService.maximumConnections)
        #expect((1...options.maximumConnections / 8).contains(options.maximumConnectionsPerUser))
    }

    @Test("more programs than it has descriptors for are served, each in the place of one that is idle")
    func flood() throws {
        let folder = try DaemonFolder()
        let program = try DaemonFolder.program("keychaind")
        let daemon = Process()
        daemon.executableURL = URL(fileURLWithPath: "/bin/sh")
        let words = ["--store", folder.location.path, "--socket", folder.socket]
        daemon.arguments = ["-c", "ulimit -n 300; exec \"$0\" \"$@\"", program] + words
        try daemon.run()
        defer {
            daemon.terminate()
            daemon.waitUntilExit()
        }
        let location = SocketLocation(path: folder.socket)
        let limit = ContinuousClock.now + .seconds(60)
        while !location.answers, ContinuousClock.now < limit { usleep(10_000) }
        let clients = (0..<150).map { _ in DaemonKeychain(at: location) }
        for client in clients { _ = try client.device.status() }
        for client in clients.reversed() { _ = try client.device.status() }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.processIdentifier)/fd")
        #expect(descriptors.count < 300)
    }
}
