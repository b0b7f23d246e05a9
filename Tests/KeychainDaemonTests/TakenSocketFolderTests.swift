// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import KeychainRouting
import KeychainTestSupport
import KeychainWire
import Testing

/// Another user takes the folder of the socket that is recorded, as anyone can do in /tmp once it is gone.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: geteuid() == 0, "only the superuser can give a folder away")
)
struct TakenSocketFolderTests {
    /// Moves the folder of the socket away, and gives another user the name: with the socket, which nobody else could
    /// look for in that user's folder.
    private static func take(_ folder: DaemonFolder) throws {
        let taken = folder.socket.parentFolder
        try #require(rename(taken, "\(taken).former") == 0 && mkdir(taken, 0o700) == 0)
        try #require(rename("\(taken).former/keychaind.sock", folder.socket) == 0)
        try #require(chown(taken, 1, 1) == 0)
    }

    @Test("a daemon ends, the next one listens in the folder of the store, and stays there when the name is free again")
    func store() throws {
        let folder = try DaemonFolder()
        let program = folder.keychain()
        try NamedItems.add("first", to: program)
        let first = try #require(folder.record)
        try Self.take(folder)
        #expect(folder.awaitEnd(), "it does not notice that no program reaches it")
        // The same program, and one that has just been started.
        #expect(try NamedItems.accounts(program) == ["first"])
        try NamedItems.add("second", to: folder.keychain())
        let second = try #require(folder.record)
        #expect(second.process != first.process)
        #expect(second.socket.hasSuffix("/keychain/run/keychaind.sock"), "\(second.socket)")
        #expect(folder.parts().daemon.isServing)
        #expect(try folder.parts().daemon.socket().path == second.socket)

        let taken = folder.socket.parentFolder
        #expect(unlink(folder.socket) == 0 && rmdir(taken) == 0)
        #expect(try NamedItems.accounts(folder.keychain()) == ["first", "second"])
        #expect(folder.record == second, "one daemon serves them all")
    }

    @Test("the same where no daemon runs meanwhile")
    func withoutDaemon() throws {
        let folder = try DaemonFolder()
        let taken = folder.socket.parentFolder
        #expect(mkdir(taken, 0o700) == 0 && chown(taken, 1, 1) == 0)
        try NamedItems.add("first", to: folder.keychain())
        #expect(folder.record?.socket.hasSuffix("/keychain/run/keychaind.sock") == true)
        #expect(rmdir(taken) == 0)
        #expect(try NamedItems.accounts(folder.keychain()) == ["first"])
    }

    @Test("the daemon of keychain files goes elsewhere, too, and its next programs find it")
    func files() throws {
        let folder = try DaemonFolder.ofKeychainFiles()
        let path = folder.path(beside: "build.keychain")
        let program = folder.keychain().files
        try program.create(at: path, password: SecretBytes([1]))
        let first = try #require(folder.record)
        try Self.take(folder)
        #expect(folder.awaitEnd(), "it does not notice that no program reaches it")
        #expect(try program.status(at: path).isLocked)
        #expect(try folder.keychain().files.status(at: path).isLocked)
        let second = try #require(folder.record)
        #expect(second.process != first.process && second.socket != folder.socket)
    }

    @Test(
        "a folder is taken that is another user's, open to others, or none; a missing one can be made",
        arguments: [0, 1]
    )
    func kinds(_ owner: UInt32) throws {
        let folder = try TemporaryFolder()
        let location = SocketLocation(path: folder.path(of: "run/s"))
        #expect(!location.isTaken)
        #expect(mkdir(location.folder, 0o700) == 0)
        #expect(!location.isTaken)
        #expect(chmod(location.folder, 0o711) == 0)
        #expect(location.isTaken)
        #expect(chmod(location.folder, 0o700) == 0 && chown(location.folder, owner, owner) == 0)
        #expect(location.isTaken == (owner != 0))
        #expect(rename(location.folder, folder.path(of: "other")) == 0)
        #expect(symlink(folder.path(of: "other"), location.folder) == 0)
        #expect(location.isTaken)
    }
}
