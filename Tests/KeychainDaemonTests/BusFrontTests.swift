// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainAudit
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainSecretService
import KeychainServer
import KeychainTestSupport
import ServerTestSupport
import Testing

@testable import KeychainDaemon

/// The Secret Service beside the socket of a user's daemon, which identifies the programs of the bus.
@Suite(.timeLimit(.minutes(5)))
struct BusFrontTests {
    @Test("what a program of the bus stores is found on the socket, and its process is logged")
    func program() throws {
        let temporary = try TemporaryFolder(prefix: "kb")
        let folder = try PrivateDirectory(KeychainLocation(path: temporary.path(of: "keychain")))
        let audit = AuditLog(in: folder, fixed: AuditSettings(), log: DaemonLog(descriptor: -1))
        let keychain = EmbeddedKeychain.inMemory(device: DeviceOptions(authenticator: CallAuthenticator()))
        let programs = ServedPrograms(
            keychain: keychain,
            identities: try IdentityService(IdentityOptions(), folder: nil),
            proofs: PasscodeProofs(),
            life: DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {}),
            audit: audit
        )
        let server = try TestServer(admission: UserAdmission(programs))
        let bus = try PrivateBus()
        let isServing = DispatchSemaphore(value: 0)
        var options = SecretServiceOptions()
        options.stateChanged = { if $0 == .serving { isServing.signal() } }
        let front = SecretServiceFront(
            on: .address(bus.address),
            try #require(server.server),
            admission: UserAdmission(programs),
            keychain: keychain,
            memory: EmbeddedKeychain.inMemory(),
            options: options
        )
        try front.start()
        defer { front.stop() }
        #expect(isServing.wait(timeout: .now() + .seconds(120)) == .success)
        let shell = Shell(environment: [
            "DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": temporary.path, "PATH": "/usr/bin:/bin",
        ])
        let words = ["service", "S", "account", "A"]
        let stored = try shell.run("/usr/bin/secret-tool", ["store", "--label=a"] + words, input: "secret")
        #expect(stored == Shell.Outcome(status: 0, output: "", errors: ""))
        let query: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("S"), "acct": .string("A"),
            PropertyKey.returnData: .boolean(true),
        ]
        let found = try server.client().perform(KeychainRequest(.copyMatching(query), client: .person))
        #expect(found.values == [.data(SecretBytes(Array("secret".utf8)))])
        audit.close()
        var reader = AuditReader(in: folder)
        let records = try reader.next().entries.compactMap { if case .call(let record) = $0 { record } else { nil } }
        let store = records.first { $0.operation == "lookup store" }
        #expect(store?.caller.process != nil && store?.caller.process != getpid())
    }
}
