// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainRouting

/// A program whose first command finds the daemon that serves its store without opening the store; records that were
/// left behind or copied lead to no other keychain.
@Suite(.timeLimit(.minutes(10)))
struct ServingOwnerTests {
    private static let client = Client(accessGroups: ["example"])

    /// A store that the daemon of this build serves at this moment, with one item.
    private static func served() throws -> DaemonFolder {
        let folder = try DaemonFolder()
        try add("first", to: folder.keychain())
        try #require(folder.parts().daemon.isServing)
        return folder
    }

    @Test("the first command of a program goes to a daemon that serves, and the store is not looked at")
    func first() throws {
        let folder = try Self.served()
        let looks = Looks()
        let program = looks.router(folder.parts())
        #expect(program.unlocksForAll)
        #expect(try Self.accounts(program) == ["first"])
        try Self.add("second", to: program)
        #expect(try program.device.status().hasPasscode == false)
        #expect(looks.count == 0)
        #expect(try Self.accounts(folder.keychain()) == ["first", "second"])
    }

    @Test("where no daemon runs, the store is asked, and the daemon that it names is started")
    func stopped() throws {
        let folder = try Self.served()
        #expect(folder.end(by: SIGTERM))
        let looks = Looks()
        let program = looks.router(folder.parts())
        #expect(!folder.parts().daemon.isServing)
        #expect(try Self.accounts(program) == ["first"])
        #expect(looks.count > 0)
        #expect(folder.parts().daemon.isServing)
    }

    @Test("a daemon that is killed before, between and during calls costs none of them")
    func killed() throws {
        let folder = try Self.served()
        let program = folder.keychain()
        #expect(folder.end(by: SIGKILL))
        // Its record is still there.
        #expect(!folder.parts().daemon.isServing)
        try Self.add("second", to: program)
        #expect(folder.end(by: SIGKILL))
        #expect(try Self.accounts(program) == ["first", "second"])
        let looks = Looks()
        let other = looks.router(folder.parts())
        #expect(other.unlocksForAll)
        #expect(folder.end(by: SIGKILL))
        try Self.add("third", to: other)
        #expect(try Self.accounts(program) == ["first", "second", "third"])
    }

    @Test("a program that found a daemon follows the store when it is taken back")
    func takenBack() throws {
        let folder = try Self.served()
        let program = folder.keychain()
        try Self.add("second", to: program)
        try folder.whileStopped { try folder.takeBack() }
        try Self.add("third", to: program)
        #expect(program.owner == .embedded)
        #expect(try Self.accounts(folder.keychain()) == ["first", "second", "third"])
    }

    @Test("the records of a store that was taken back are not followed, whoever listens on their socket")
    func staleRecords() throws {
        let folder = try DaemonFolder(isEnabled: false)
        try Self.add("own", to: folder.keychain())
        let other = try Self.served()
        let running = try #require(other.record)
        let directory = try PrivateDirectory(folder.location)
        try ServiceRecord(program: DaemonFolder.program("keychaind"), socket: running.socket).write(in: directory)
        try running.write(in: directory)
        let program = folder.keychain()
        #expect(!folder.parts().daemon.isServing)
        #expect(try Self.accounts(program) == ["own"])
        try Self.add("another", to: program)
        #expect(program.owner == .embedded)
        #expect(try Self.accounts(other.keychain()) == ["first"])
    }

    @Test("a daemon that serves on another socket than the one that is recorded is not taken for it")
    func otherSocket() throws {
        let folder = try Self.served()
        let directory = try PrivateDirectory(folder.location)
        let elsewhere = ServiceRecord(
            program: try DaemonFolder.program("keychaind"),
            socket: folder.path(beside: "elsewhere/keychaind.sock")
        )
        try elsewhere.write(in: directory)
        #expect(!folder.parts().daemon.isServing)
    }

    @Test("a program that cannot open the store has the recorded daemon started; without a record it fails")
    func unreadableStore() throws {
        let folder = try Self.served()
        #expect(folder.end(by: SIGTERM))
        let failure = KeychainError(.notAvailable, "too old", kind: .storage(.libraryTooOld))
        let looks = Looks(failure)
        let program = looks.router(folder.parts())
        #expect(try Self.accounts(program) == ["first"])
        #expect(looks.count == 1)
        #expect(folder.end(by: SIGTERM))
        ServiceRecord.remove(in: try PrivateDirectory(folder.location))
        let refusal = #expect(throws: KeychainError.self) { try Self.accounts(looks.router(folder.parts())) }
        #expect(refusal == failure)
        #expect(folder.record == nil)
    }

    private static func add(_ account: String, to keychain: any KeychainBackend) throws {
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), "svce": .string("service"),
            PropertyKey.valueData: .data(SecretBytes([1])),
        ]
        _ = try keychain.perform(KeychainRequest(.add(item), client: client))
    }

    private static func accounts(_ keychain: any KeychainBackend) throws -> Set<String> {
        let query: PropertyDictionary = [
            "class": .string("genp"), PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
            PropertyKey.returnAttributes: .boolean(true),
        ]
        let values = try keychain.perform(KeychainRequest(.copyMatching(query), client: client)).values
        return Set(
            values.compactMap { value in
                guard case .dictionary(let entries) = value, case .string(let account)? = entries["acct"] else {
                    return nil
                }
                return account
            }
        )
    }
}

/// Counts how often a program looks at its store, each of which may fail.
private final class Looks: KeychainBackend {
    private let failure: KeychainError?
    private let looks = Atomic(0)
    private let embedded = Mutex<EmbeddedKeychain?>(nil)

    init(_ failure: KeychainError? = nil) { self.failure = failure }

    var count: Int { looks.load(ordering: .relaxed) }

    var families: CommandFamily { .dataProtection }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard let embedded = try look() else { throw .unexpectedReply }
        return try embedded.perform(command)
    }

    /// The router that programs have, which looks at the store here.
    func router(_ parts: ProcessKeychain.Parts) -> RoutedKeychain {
        embedded.withLock { $0 = parts.embedded }
        return RoutedKeychain(parts, embedded: self) { [self] () throws(KeychainError) in
            try look()?.checkOwner() ?? false
        }
    }

    private func look() throws(KeychainError) -> EmbeddedKeychain? {
        looks.add(1, ordering: .relaxed)
        if let failure { throw failure }
        return embedded.withLock(\.self)
    }
}
