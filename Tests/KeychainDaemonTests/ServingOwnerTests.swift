// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import KeychainTestSupport
import Testing

@testable import KeychainRouting

/// A program whose first command finds the daemon that serves its store without opening the store; records that were
/// left behind or copied lead to no other keychain.
@Suite(.timeLimit(.minutes(10)))
struct ServingOwnerTests {
    /// A store that the daemon of this build serves at this moment, with one item.
    private static func served() throws -> DaemonFolder {
        let folder = try DaemonFolder()
        try NamedItems.add("first", to: folder.keychain())
        try #require(folder.parts().daemon.isServing)
        return folder
    }

    @Test("the first command of a program goes to a daemon that serves, and the store is not looked at")
    func first() throws {
        let folder = try Self.served()
        let looks = Looks()
        let program = looks.router(folder.parts())
        #expect(program.unlocksForAll)
        #expect(try NamedItems.accounts(program) == ["first"])
        try NamedItems.add("second", to: program)
        #expect(try program.device.status().hasPasscode == false)
        #expect(looks.count == 0)
        #expect(try NamedItems.accounts(folder.keychain()) == ["first", "second"])
    }

    @Test("where no daemon runs, the store is asked, and the daemon that it names is started")
    func stopped() throws {
        let folder = try Self.served()
        #expect(folder.end(by: SIGTERM))
        let looks = Looks()
        let program = looks.router(folder.parts())
        #expect(!folder.parts().daemon.isServing)
        #expect(try NamedItems.accounts(program) == ["first"])
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
        try NamedItems.add("second", to: program)
        #expect(folder.end(by: SIGKILL))
        #expect(try NamedItems.accounts(program) == ["first", "second"])
        let looks = Looks()
        let other = looks.router(folder.parts())
        #expect(other.unlocksForAll)
        #expect(folder.end(by: SIGKILL))
        try NamedItems.add("third", to: other)
        #expect(try NamedItems.accounts(program) == ["first", "second", "third"])
    }

    @Test("a program that found a daemon follows the store when it is taken back")
    func takenBack() throws {
        let folder = try Self.served()
        let program = folder.keychain()
        try NamedItems.add("second", to: program)
        try folder.whileStopped { try folder.handOverToPrograms() }
        try NamedItems.add("third", to: program)
        #expect(program.owner == .embedded)
        #expect(try NamedItems.accounts(folder.keychain()) == ["first", "second", "third"])
    }

    @Test("the records of a store that was taken back are not followed, whoever listens on their socket")
    func staleRecords() throws {
        let folder = try DaemonFolder(isEnabled: false)
        try NamedItems.add("own", to: folder.keychain())
        let other = try Self.served()
        let running = try #require(other.record)
        let directory = try PrivateDirectory(folder.location)
        try ServiceRecord(program: DaemonFolder.program("keychaind"), socket: running.socket).write(in: directory)
        try running.write(in: directory)
        let program = folder.keychain()
        #expect(!folder.parts().daemon.isServing)
        #expect(try NamedItems.accounts(program) == ["own"])
        try NamedItems.add("another", to: program)
        #expect(program.owner == .embedded)
        #expect(try NamedItems.accounts(other.keychain()) == ["first"])
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
        #expect(try NamedItems.accounts(program) == ["first"])
        #expect(looks.count == 1)
        #expect(folder.end(by: SIGTERM))
        ServiceRecord.remove(in: try PrivateDirectory(folder.location))
        let refusal = #expect(throws: KeychainError.self) { try NamedItems.accounts(looks.router(folder.parts())) }
        #expect(refusal == failure)
        #expect(folder.record == nil)
    }
}
