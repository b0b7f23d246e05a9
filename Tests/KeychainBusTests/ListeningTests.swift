// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Foundation
import Glibc
import KeychainBus
import KeychainCore
import KeychainTestSupport
import Testing

/// The socket of a bus.
@Suite(.timeLimit(.minutes(5)))
struct ListeningTests {
    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("the folder and the socket are made for the user alone, and the socket goes with the bus")
    func privacy() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "new/bus")
        do {
            let bus = try BusServer(path: path, reserving: [])
            try bus.start()
            #expect(Self.mode(folder.path(of: "new")) == 0o700)
            #expect(Self.mode(path) == 0o600)
            #expect(bus.address == "unix:path=\(path)")
            #expect(!bus.isReplaced)
            let client = try RawClient(connectingTo: path)
            try client.begin()
            bus.stop()
            #expect(client.isEnded)
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test("a socket that answers is left alone, one that nobody listens on is replaced")
    func existingSocket() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "bus")
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(keychain_listen(listening, path, 0o600, 5) == 0)
        #expect(throws: KeychainError.self) { try BusServer(path: path, reserving: []) }
        close(listening)
        let bus = try BusServer(path: path, reserving: [])
        #expect(throws: KeychainError.self) { try BusServer(path: path, reserving: []) }
        #expect(!bus.isReplaced)
    }

    @Test("a folder that is open to others, and a file in the place of the socket, are refused")
    func refusedPlaces() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "bus")
        #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
        #expect(throws: KeychainError.self) { try BusServer(path: path, reserving: []) }
        #expect(FileManager.default.contents(atPath: path) == Data("x".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["bus"])
        #expect(chmod(folder.path, 0o755) == 0)
        #expect(throws: KeychainError.self) { try BusServer(path: folder.path(of: "other"), reserving: []) }
        #expect(throws: KeychainError.self) { try BusServer(path: "/other", reserving: []) }
    }

    @Test("an address has its path escaped")
    func address() throws {
        let folder = try TemporaryFolder()
        let bus = try BusServer(path: folder.path(of: "b s,\u{E9}"), reserving: [])
        #expect(bus.address == "unix:path=\(folder.path)/b%20s%2c%c3%a9")
    }

    @Test("a bus that was never started, or was stopped before, ends at once")
    func stopping() throws {
        let folder = try TemporaryFolder()
        let bus = try BusServer(path: folder.path(of: "bus"), reserving: [])
        bus.stop()
        bus.stop()
        #expect(throws: KeychainError.self) { _ = try bus.connect() }
    }
}
