// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainServices
import KeychainTestSupport
import KeychainTesting
import Testing

@Suite("Many set one item at once")
struct ConcurrentSetTests {
    private static let item = GenericPassword(service: "com.example.login", account: "ada")

    /// Whether each thread has a store of its own on the folder, as a process has.
    @Test("Threads that set one item never meet a duplicate, and none loses it", arguments: [true, false])
    func threads(onOneFolder: Bool) async throws {
        let folder = try TemporaryFolder()
        let shared = EmbeddedKeychain(at: KeychainLocation(path: folder.path))
        let (threads, rounds) = (8, 10)
        try await withThrowingTaskGroup { group in
            for thread in 0..<threads {
                group.addTask {
                    let backend =
                        onOneFolder ? EmbeddedKeychain(at: KeychainLocation(path: folder.path)) : shared
                    try Self.setAgainAndAgain(in: backend, thread: thread, rounds: rounds)
                }
            }
            try await group.waitForAll()
        }
        let keychain = SystemKeychain(EngineTransport(Self.context(shared)))
        #expect(try await keychain.string(for: Self.item)?.hasSuffix(" \(rounds - 1)") == true)
        #expect(try await keychain.items(matching: .everyGenericPassword).count == 1)
    }

    @Test("Sets and deletes at once: a set never fails, a delete finds one item or none", arguments: [true, false])
    func deletes(overTheEngine: Bool) async throws {
        let app = try VirtualDevice().install()
        try await app.run {
            try await withThrowingTaskGroup { group in
                for thread in 0..<8 {
                    group.addTask {
                        let transport: any ItemTransport = overTheEngine ? EngineTransport() : FunctionTransport()
                        let keychain = SystemKeychain(transport)
                        for round in 0..<10 {
                            if thread % 2 == 0 {
                                try Self.set("\(thread) \(round)", keychain)
                            } else {
                                _ = try Self.delete(keychain)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try app.run { try SystemKeychain().items(matching: ItemSelection.everyGenericPassword).count } <= 1)
    }

    private static func setAgainAndAgain(in backend: EmbeddedKeychain, thread: Int, rounds: Int) throws {
        let keychain = SystemKeychain(EngineTransport(context(backend)))
        for round in 0..<rounds {
            try set("\(thread) \(round)", keychain)
            guard try keychain.string(for: item) != nil else { throw Lost() }
        }
    }

    private struct Lost: Error {}

    private static func set(_ text: String, _ keychain: SystemKeychain) throws {
        try keychain.set(text, for: item, protection: .accessible(.afterFirstUnlock))
    }

    private static func delete(_ keychain: SystemKeychain) throws -> Bool { try keychain.delete(item) }

    private static func context(_ backend: EmbeddedKeychain) -> KeychainContext {
        KeychainContext(backend: backend, client: Client(accessGroups: ["group"]))
    }
}
