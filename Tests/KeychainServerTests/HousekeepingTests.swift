// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainServer

@Suite("Periodic checks of connections", .timeLimit(.minutes(2)))
struct HousekeepingTests {
    @Test("a server that is idle ends at once when it is told to, and not at the next tick")
    func stop() {
        var options = ServerOptions()
        options.tickMilliseconds = 120_000
        let housekeeping = Housekeeping(options)
        let isStopping = Atomic(false)
        let (asked, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread {
            housekeeping.wait(
                isOver: { isStopping.load(ordering: .sequentiallyConsistent) },
                isQuiet: {
                    defer { asked.signal() }
                    return !isStopping.load(ordering: .sequentiallyConsistent)
                }
            )
            ended.signal()
        }.start()
        // It is asked twice; after the second time it sleeps.
        for _ in 0..<2 { asked.wait() }
        isStopping.store(true, ordering: .sequentiallyConsistent)
        housekeeping.interrupt()
        #expect(ended.wait(timeout: .now() + 60) == .success)
    }

    @Test("a server that is idle says again and again that it works, until it is told to stop")
    func beats() throws {
        let folder = try TemporaryFolder(prefix: "kd")
        let socket = try ListeningSocket(SocketLocation(path: folder.path(of: "s")))
        var options = ServerOptions()
        options.tickMilliseconds = 10
        let admission = OpenAdmission(CountingKeychain())
        let server = try KeychainServer(sockets: [socket.descriptor], options: options, admission: admission)
        let count = Atomic(0)
        let ended = DispatchSemaphore(value: 0)
        Thread {
            server.run(beatingEvery: 10) { count.add(1, ordering: .relaxed) }
            ended.signal()
        }.start()
        #expect(eventually("it has said so three times") { count.load(ordering: .relaxed) >= 3 })
        server.stop()
        #expect(ended.wait(timeout: .now() + 60) == .success)
        withExtendedLifetime(socket) {}
    }
}
