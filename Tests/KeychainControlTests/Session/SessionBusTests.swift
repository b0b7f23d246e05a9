// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainServer
import KeychainTestSupport
import KeychainWire
import Testing

@testable import KeychainControl

/// Where programs find the bus.
struct SessionBusTests {
    @Test(
        "the address has other characters escaped",
        arguments: [
            ("/run/user/1000/swift-keychain/bus", "unix:path=/run/user/1000/swift-keychain/bus"),
            ("/tmp/a b,c;d=e%/é", "unix:path=/tmp/a%20b%2cc%3bd%3de%25/%c3%a9"),
        ]
    )
    func address(_ path: String, _ address: String) { #expect(SocketLocation(path: path).busAddress == address) }

    @Test("a bus that is set is left alone, also one that libraries look for")
    func isThere() throws {
        let folder = try TemporaryFolder(prefix: "kb")
        let runtime = ["XDG_RUNTIME_DIR": folder.path]
        #expect(SessionBus.isThere { ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"][$0] })
        #expect(!SessionBus.isThere { ["DBUS_SESSION_BUS_ADDRESS": ""][$0] })
        #expect(!SessionBus.isThere { runtime[$0] })
        let listener = try ListeningSocket(SocketLocation(path: folder.path(of: "bus")))
        #expect(SessionBus.isThere { runtime[$0] })
        _ = consume listener
    }

    @Test(
        "a bus in a folder of another user is none",
        .enabled(if: geteuid() == 0, "only the superuser can give a folder away")
    )
    func foreignBus() throws {
        let folder = try TemporaryFolder(prefix: "kb")
        let listener = try ListeningSocket(SocketLocation(path: folder.path(of: "bus")))
        #expect(chown(folder.path, 1, 1) == 0)
        let runtime = ["XDG_RUNTIME_DIR": folder.path]
        #expect(SessionBus.address { runtime[$0] } == nil)
        _ = consume listener
    }

    @Test(
        "an assignment is one command of the shell, whatever is in the path",
        arguments: ["/a/b", "/it's \"$HOME\" \\"]
    )
    func assignment(_ path: String) throws {
        let shell = Shell(environment: ["PATH": "/usr/bin:/bin"])
        for kind in [SessionEnvironmentCommand.Shell.sh, .bash] {
            let line = kind.assignment("BUS", path) + "; printenv BUS"
            let outcome = try shell.run("/bin/\(kind.rawValue)", ["-c", line])
            #expect(outcome == Shell.Outcome(status: 0, output: path + "\n", errors: ""))
        }
        #expect(SessionEnvironmentCommand.Shell.fish.assignment("BUS", "/it's \\") == "set -gx BUS '/it\\'s \\\\'")
    }

    @Test(
        "the bus is beside the socket of its keychain",
        arguments: [
            ("/r/keychaind.sock", "/r/bus"), ("/r/keychaind-01234567.sock", "/r/bus-01234567"),
            ("/r/other", "/r/busother"),
        ]
    )
    func beside(_ socket: String, _ bus: String) { #expect(SocketLocation(path: socket).bus.path == bus) }
}
