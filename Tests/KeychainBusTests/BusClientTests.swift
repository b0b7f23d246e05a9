// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Foundation
import Glibc
import KeychainBus
import KeychainTestSupport
import Testing

/// A program of ours on a bus that does not keep to the rules.
@Suite(.timeLimit(.minutes(5)))
struct BusClientTests {
    /// Lets one program in, answers its Hello, and then neither reads nor writes.
    private static func serve(_ listening: Int32, until isDone: DispatchSemaphore) {
        _ = keychain_wait(listening, Int32(KEYCHAIN_READABLE), 60_000)
        let client = RawClient(taking: keychain_accept(listening))
        client.write("OK \(String(repeating: "0", count: 32))\r\n")
        for _ in 0..<2 { _ = try? client.line() }
        guard let hello = try? client.next() else { return }
        var reply = BusHeader(.methodReturn, serial: 1)
        (reply.replySerial, reply.signature) = (hello.header.serial, "s")
        var writer = BusValueWriter()
        writer.append(":1.1")
        client.send(reply, writer.bytes)
        shutdown(client.socket, Int32(SHUT_WR))
        isDone.wait()
    }

    @Test("a call ends at once if the bus takes no bytes, and has closed its side")
    func closedSide() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "bus")
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listening) }
        #expect(keychain_listen(listening, path, 0o600, 1) == 0)
        let (isDone, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            Self.serve(listening, until: isDone)
            isOver.signal()
        }
        defer {
            isDone.signal()
            isOver.wait()
        }
        let client = try BusClient("unix:path=\(path)")
        #expect(throws: BusClientError.ended) {
            try client.callDriver("AddMatch", String(repeating: "a", count: 8 << 20))
        }
    }
}
