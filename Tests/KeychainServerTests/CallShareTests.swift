// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainServer

/// By what number a keychain tells the programs apart whose commands it executes.
struct CallShareTests {
    private struct Peer: ConnectedPeer {
        let process: ProcessInstance
        let application: String?
        let backend: any KeychainBackend
        let vouchesForBiometry = false

        func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

        func confirm() throws(KeychainError) {}
    }

    @Test("processes of one program have one number, others have others, and none is 0")
    func programs() throws {
        let table = ProcessTable(ServerOptions())
        func number(_ process: Int32, _ application: String? = nil) throws -> UInt64 {
            let instance = ProcessInstance(identifier: process, startTime: 0)
            let peer = Peer(process: instance, application: application, backend: FakeKeychain())
            return try table.join(peer, of: 1).shareNumber
        }
        #expect(try number(1, "program") == number(2, "program"))
        #expect(try number(3) == number(3))
        let numbers = [try number(1, "program"), try number(4, "other"), try number(3), try number(5)]
        #expect(Set(numbers).count == 4 && !numbers.contains(0))
    }

    @Test("a command is its program's while it is executed, and nobody's else")
    func commands() throws {
        let numbers = Mutex<[UInt64?]>([])
        let server = try TestServer(
            FakeKeychain { _ throws(KeychainError) in
                numbers.withLock { $0.append(CallShare.number()) }
                return .nothing
            }
        )
        for client in [server.client(), server.client()] { try client.add("a") }
        let seen = numbers.withLock { $0 }
        #expect(seen.count == 2 && seen[0] == seen[1] && seen[0] != nil)
        #expect(CallShare.number() == nil)
    }
}
