// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainDaemon
@testable import KeychainServer

/// A program that is looked at again, and the daemon that ends without any.
struct UserProgramLifeTests {
    private let bench = UserProgramBench()

    private func program(_ identity: ClientIdentity, in process: Int32 = 8) -> UserProgram {
        UserProgram(
            ProcessInstance(identifier: process, startTime: 1),
            as: identity,
            keychain: bench.keychain,
            proofs: bench.proofs,
            life: bench.life,
            path: "/usr/bin/tool"
        )
    }

    @Test("a program is called by the path of its executable, and one in a sandbox by its application")
    func name() throws {
        #expect(program(UserProgramBench.anonymous).programName == "/usr/bin/tool")
        #expect(program(try #require(ClientIdentity(sandboxedAs: "org.example.App"))).programName == "org.example.App")
        #expect(bench.peer.programName == nil)
    }

    @Test("a program in a sandbox that is not identified shares its limits with others in such sandboxes")
    func sandboxes() throws {
        var options = ServerOptions()
        options.maximumConnectionsPerProcess = 2
        let table = ProcessTable(options)
        let sandbox = ClientIdentity(.anonymous, isConfined: true, isSandboxed: true)
        for process in Int32(1)...2 { _ = try table.join(program(sandbox, in: process), of: 1000) }
        let refusal = #expect(throws: KeychainError.self) { try table.join(program(sandbox, in: 3), of: 1000) }
        #expect(refusal?.reason.contains("limit of connections") == true)
        let application = try #require(ClientIdentity(sandboxedAs: "org.example.App"))
        let others = [application, UserProgramBench.anonymous]
        for (number, identity) in others.enumerated() {
            _ = try table.join(program(identity, in: Int32(4 + number)), of: 1000)
        }
        _ = try table.join(program(sandbox, in: 6), of: 1001)
    }

    @Test("a program that is not the one any more is not answered")
    func looksAgain() {
        let refusal = KeychainError(.missingEntitlement, "it has ended")
        let program = UserProgram(
            bench.peer.process,
            as: UserProgramBench.anonymous,
            keychain: bench.keychain,
            proofs: bench.proofs,
            life: bench.life,
            reidentify: { () throws(KeychainError) in throw refusal }
        )
        #expect(throws: refusal) { try program.confirm() }
    }

    @Test("a daemon that nobody uses ends, unless it holds keys that an end would lose")
    func idle() throws {
        let keychain = bench.keychain
        func life(_ seconds: Int?) -> DaemonLife {
            DaemonLife(endsWhenIdleFor: seconds, holdsKeys: { keychain.holdsUnlockedKeys }, wake: {})
        }
        let used = life(0)
        #expect(used.isIdle)
        let peer = UserProgram(
            ProcessInstance(identifier: 1, startTime: 1),
            as: UserProgramBench.anonymous,
            keychain: bench.keychain,
            proofs: bench.proofs,
            life: used
        )
        #expect(!used.isIdle)
        withExtendedLifetime(peer) {}
        #expect(!life(nil).isIdle)
        #expect(!life(3600).isIdle)
        try bench.keychain.device.setPasscode(SecretBytes([1]))
        #expect(!life(0).isIdle)
        try bench.keychain.device.lock()
        #expect(!life(0).isIdle, "items that need one unlock can still be read")
    }
}
