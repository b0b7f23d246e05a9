// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import ServerTestSupport
import Testing

@testable import KeychainControl

/// Secrets for units of systemd: who gets them, and who gets nothing.
@Suite(.timeLimit(.minutes(5)))
struct CredentialServerTests {
    @Test("a unit gets its secret, byte for byte, and the note has the item and the unit, not the secret")
    func given() throws {
        let scene = try CredentialScene()
        defer { scene.end() }
        #expect(try scene.read() == "s3cret")
        #expect(scene.noted == ["credential 'token' of app.service is keychain://github.com/ada"])
    }

    @Test("a change of the table counts from the next request on")
    func changedTable() throws {
        let scene = try CredentialScene()
        defer { scene.end() }
        #expect(try scene.read("app.service", "name") == "")
        try "app.service name keychain://github.com/ada?account".write(
            toFile: scene.table,
            atomically: false,
            encoding: .utf8
        )
        #expect(try scene.read("app.service", "name") == "ada")
        #expect(try scene.read() == "")
        #expect(chmod(scene.table, 0o666) == 0)
        #expect(try scene.read("app.service", "name") == "")
        #expect(scene.noted.last?.contains("changed by others") == true)
    }

    @Test(
        "a unit without a line, a credential without one, and a deleted item are given nothing, and the reason is noted"
    )
    func refused() throws {
        let scene = try CredentialScene()
        defer { scene.end() }
        #expect(try scene.read("app.service", "other") == "")
        scene.move(to: "other.service")
        #expect(try scene.read("other.service", "token") == "")
        #expect(scene.noted.count == 2 && scene.noted.allSatisfy { $0.contains("the table has none of this name") })
        scene.move(to: "app.service")
        _ = try scene.items.run("delete", "--yes", "github.com/ada")
        #expect(try scene.read() == "")
        #expect(scene.noted.last?.contains("there is no password") == true)
        #expect(!scene.noted.joined().contains("s3cret"))
    }

    @Test("the address alone gives nothing: who asks has to be in the unit")
    func forged() throws {
        let scene = try CredentialScene()
        defer { scene.end() }
        scene.move(to: "other.service")
        #expect(try scene.read() == "")
        #expect(scene.noted.last?.contains("is not in this unit") == true)
        scene.move(to: "app.service")
        #expect(try scene.read() == "s3cret")
    }

    @Test("a locked keychain gives nothing, asks nobody, and gives it once it is unlocked")
    func locked() throws {
        let scene = try CredentialScene()
        defer { scene.end() }
        try scene.items.lock()
        #expect(try scene.read() == "")
        #expect(scene.noted.last?.contains("lock") == true)
        try scene.items.control.keychain.device.unlock(passcode: SecretBytes(Array("1234".utf8)))
        #expect(try scene.read() == "s3cret")
    }

    @Test(
        "a connection from another address is closed",
        arguments: ["", "\0abc", "\0a/unit/app.service/token/x", "\0a/Unit/app.service/token"]
    )
    func foreign(_ address: String) throws {
        let scene = try CredentialScene()
        defer { scene.end() }
        // Two tests at the same time need two addresses.
        let own = address.isEmpty ? "" : "\(address)\(UInt32.random(in: 0 ... .max))"
        #expect(scene.contents(of: try scene.connect(from: own)) == [])
        #expect(scene.noted == ["a connection that is not from systemd was closed"])
    }

    @Test("a secret that does not fit into a socket arrives as a whole")
    func large() throws {
        let scene = try CredentialScene()
        defer { scene.end() }
        let secret = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try scene.items.add(.genericPassword, ["svce": .string("large"), "acct": .string("")])
        let path = scene.items.folder.path(of: "large")
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(write(file, secret, secret.count) == secret.count)
        close(file)
        #expect(try scene.items.run("set", "large", "--file", path).status == 0)
        try "app.service token keychain://large".write(toFile: scene.table, atomically: false, encoding: .utf8)
        #expect(scene.contents(of: try scene.connect()) == secret)
    }

    @Test("who does not read is waited for as long as it takes, not longer, and keeps no other unit waiting")
    func slow() throws {
        let scene = try CredentialScene()
        defer { scene.end() }
        let path = scene.items.folder.path(of: "large")
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(ftruncate(file, 900_000) == 0)
        close(file)
        #expect(try scene.items.run("set", "large", "--file", path).status == 0)
        try
            "app.service large keychain://large\napp.service token keychain://github.com/ada\nb.service c keychain://github.com/ada"
            .write(toFile: scene.table, atomically: false, encoding: .utf8)
        var sockets: [Int32] = []
        defer { for socket in sockets { keychain_close_private(socket) } }
        for _ in 0..<CredentialServer.maximumCountOfUnit { sockets.append(try scene.connect("app.service", "large")) }
        // The unit has no room for another one, and another unit has.
        #expect(try scene.read("app.service", "token") == "")
        #expect(scene.waits(forNote: "does not read what it has asked for"))
        scene.move(to: "b.service")
        #expect(try scene.read("b.service", "c") == "s3cret")
        scene.clock.advance(milliseconds: 11_000)
        #expect(scene.waits(forNote: "'large' of app.service was not read in time"))
        scene.move(to: "app.service")
        // Once all of them are closed.
        var isServed = false
        for _ in 0..<1_000 where !isServed { isServed = try scene.read("app.service", "token") == "s3cret" }
        #expect(isServed)
    }

    @Test("of many connections each is closed, and those that come later are served")
    func flood() throws {
        let scene = try CredentialScene()
        defer { scene.end() }
        for _ in 0..<300 { keychain_close_private(try scene.connect("app.service", "none")) }
        for _ in 0..<50 { keychain_close_private(try scene.connect(from: "")) }
        #expect(try scene.read() == "s3cret")
    }

    @Test("it ends when it is idle")
    func idle() throws {
        let scene = try CredentialScene(idleMilliseconds: 60_000)
        #expect(try scene.read() == "s3cret")
        scene.clock.advance(milliseconds: 59_000)
        #expect(try scene.read() == "s3cret")
        scene.clock.advance(milliseconds: 59_000)
        #expect(try scene.read() == "s3cret")
        scene.clock.advance(milliseconds: 61_000)
        scene.waitForEnd()
    }

    @Test("a process in no unit serves nobody, and root's processes are looked for in the units of the system")
    func peers() throws {
        #expect(throws: Refusal.self) { try CredentialPeers { _ in Array("0::/\n".utf8) } }
        #expect(throws: Refusal.self) { try CredentialPeers { _ in nil } }
        let own = "0::/user.slice/user-1.slice/user@1.service/a.service\n"
        let peers = try CredentialPeers(user: geteuid() + 1) { _ in Array(own.utf8) }
        let request = try #require(CredentialRequest(address: Array("\0a/unit/a.service/token".utf8)))
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let refusal = #expect(throws: Refusal.self) { try peers.check(request, of: ends[0]) }
        let reason = geteuid() == 0 ? "is not in this unit" : "another user"
        #expect(refusal?.description.contains(reason) == true, "\(refusal?.description ?? "")")
        let same = try CredentialPeers(user: geteuid()) { _ in Array(own.utf8) }
        #expect(throws: Never.self) { try same.check(request, of: ends[0]) }
    }
}
