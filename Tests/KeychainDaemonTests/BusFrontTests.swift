// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
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
    /// A daemon with a log, its front on a bus, and programs there.
    private final class Scene {
        let temporary: TemporaryFolder
        let folder: PrivateDirectory
        let audit: AuditLog
        let keychain: EmbeddedKeychain
        let server: TestServer
        let shell: Shell
        private let front: SecretServiceFront
        private let bus: PrivateBus

        /// A daemon whose log has some attributes of calls of item functions.
        init(logging attributes: [AuditAttribute] = []) throws {
            temporary = try TemporaryFolder(prefix: "kb")
            folder = try PrivateDirectory(KeychainLocation(path: temporary.path(of: "keychain")))
            audit = AuditLog(
                in: folder,
                fixed: AuditSettings(attributes: Set(attributes)),
                log: DaemonLog(descriptor: -1)
            )
            keychain = EmbeddedKeychain.inMemory(device: DeviceOptions(authenticator: CallAuthenticator()))
            let programs = ServedPrograms(
                keychain: keychain,
                identities: try IdentityService(IdentityOptions(), folder: nil),
                proofs: PasscodeProofs(),
                life: DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {}),
                audit: audit
            )
            server = try TestServer(admission: UserAdmission(programs))
            bus = try PrivateBus()
            let isServing = DispatchSemaphore(value: 0)
            var options = SecretServiceOptions()
            options.stateChanged = { if $0 == .serving { isServing.signal() } }
            front = SecretServiceFront(
                on: .address(bus.address),
                try #require(server.server),
                admission: UserAdmission(programs),
                keychain: keychain,
                memory: EmbeddedKeychain.inMemory(),
                options: options
            )
            try front.start()
            #expect(isServing.wait(timeout: .now() + .seconds(120)) == .success)
            shell = Shell(environment: [
                "DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": temporary.path, "PATH": "/usr/bin:/bin",
            ])
        }

        deinit { front.stop() }

        /// What the log has of calls.
        func records() throws -> [AuditRecord] {
            audit.close()
            var reader = AuditReader(in: folder)
            return try reader.next().entries.compactMap { if case .call(let record) = $0 { record } else { nil } }
        }
    }

    @Test("what a program of the bus stores is found on the socket, and its process is logged")
    func program() throws {
        let scene = try Scene()
        let words = ["service", "S", "account", "A"]
        let stored = try scene.shell.run("/usr/bin/secret-tool", ["store", "--label=a"] + words, input: "secret")
        #expect(stored == Shell.Outcome(status: 0, output: "", errors: ""))
        let query: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("S"), "acct": .string("A"),
            PropertyKey.returnData: .boolean(true),
        ]
        let found = try scene.server.client().perform(KeychainRequest(.copyMatching(query), client: .person))
        #expect(found.values == [.data(SecretBytes(Array("secret".utf8)))])
        let store = try scene.records().first { $0.operation == "lookup store" }
        #expect(store?.caller.process != nil && store?.caller.process != getpid())
    }

    @Test(
        "nothing of a program of the bus is in the log or the text of an error, but what the owner selected of its reads",
        arguments: [
            ([], ["MARKED"]),
            (AuditAttribute.allCases, ["MARKED-secret", "MARKED-c", "MARKED-d", "MARKED-e", "MARKED-f", "MARKED-x"]),
        ] as [([AuditAttribute], [String])]
    )
    func log(_ selected: [AuditAttribute], hidden: [String]) throws {
        let scene = try Scene(logging: selected)
        let words = ["service", "MARKED-a", "account", "MARKED-b", "MARKED-c", "MARKED-d"]
        func run(_ command: [String]) throws -> Shell.Outcome {
            try scene.shell.run("/usr/bin/secret-tool", command + words, input: "MARKED-secret")
        }
        #expect(try run(["store", "--label=MARKED-label"]).status == 0)
        #expect(try run(["lookup"]).output == "MARKED-secret")
        _ = try scene.keychain.perform(.device(.setPasscode(SecretBytes([1]))))
        _ = try scene.keychain.perform(.device(.lock))
        let refused = try scene.shell.run(
            "/usr/bin/python3",
            [
                "-c",
                """
                import secretstorage
                bus = secretstorage.dbus_init()
                collection = secretstorage.get_default_collection(bus)
                def attempt(call):
                    try:
                        call()
                    except Exception as error:
                        print(type(error).__name__, error)
                attempt(lambda: collection.create_item('MARKED-label', {'MARKED-c': 'MARKED-d'}, b'MARKED-secret'))
                attempt(lambda: collection.create_item('MARKED-' + 70000 * 'x', {}, b'MARKED-secret'))
                attempt(lambda: collection.create_item('', {'MARKED-c': 'MARKED-' + 70000 * 'x'}, b'MARKED-secret'))
                for item in collection.search_items({'MARKED-c': 'MARKED-d'}):
                    attempt(item.get_secret)
                    attempt(lambda: item.set_secret(b'MARKED-secret'))
                    attempt(lambda: item.set_label('MARKED-label'))
                    attempt(lambda: item.set_attributes({'MARKED-e': 'MARKED-f'}))
                    attempt(item.delete)
                """,
            ]
        )
        #expect(refused.status == 0 && refused.output.contains("Locked"), "\(refused)")
        #expect(!refused.output.contains("MARKED") && !refused.errors.contains("MARKED"), "\(refused)")
        let records = try scene.records()
        #expect(records.contains { $0.operation == "lookup store" })
        #expect(records.allSatisfy { $0.attributes.isEmpty || $0.operation == "lookup secrets" })
        #expect(records.contains { $0.attributes[.account] == "MARKED-b" } == !selected.isEmpty)
        let logged = try FileManager.default.contentsOfDirectory(atPath: scene.temporary.path(of: "keychain"))
        #expect(!logged.isEmpty)
        for name in logged {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: scene.temporary.path(of: "keychain/\(name)")))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!hidden.contains { text.contains($0) }, "\(name)")
        }
    }
}
