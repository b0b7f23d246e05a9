// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost
import KeychainTestSupport
import KeychainWire
import Testing

/// Whom programs believe that they are the system service: whose folder only root can have made.
struct SystemSocketTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        #expect(mkdir(folder.path(of: "run"), 0o755) == 0 && chmod(folder.path(of: "run"), 0o755) == 0)
    }

    private var socket: SocketLocation {
        SocketLocation(path: folder.path(of: "run/keychaind.sock"), isSystemService: true)
    }

    @Test("the service is root or the owner of the folder", .enabled(if: geteuid() == 0, "only root can make it"))
    func owners() throws {
        #expect(try socket.daemonUsers() == [0])
        chown(socket.folder, 64_123, 64_123)
        #expect(try socket.daemonUsers() == [0, 64_123])
        #expect(throws: FileError.self) { try socket.openFolder(making: true) }
    }

    @Test(
        "a folder that others can replace or write to is not the service's",
        .enabled(if: geteuid() == 0, "only root gives folders to others"),
        arguments: [
            ("run", 0, 0o777), ("run", 0, 0o1777), ("run", 64_123, 0o775), ("", 64_123, 0o755), ("", 0, 0o777),
            ("", 0, 0o1777),
        ] as [(String, uid_t, mode_t)]
    )
    func exposed(name: String, owner: uid_t, mode: mode_t) {
        let path = name.isEmpty ? folder.path : folder.path(of: name)
        #expect(chown(path, owner, owner) == 0 && chmod(path, mode) == 0)
        #expect(throws: FileError.self) { try socket.daemonUsers() }
        chown(path, 0, 0)
    }

    @Test("a folder that a user made is not the service's", .enabled(if: geteuid() != 0, "root may make one"))
    func usersFolder() { #expect(throws: FileError.self) { try socket.daemonUsers() } }

    @Test("a symbolic link, a file and a missing folder are none")
    func otherKinds() throws {
        #expect(rename(socket.folder, folder.path(of: "real")) == 0)
        #expect(throws: FileError.self) { try socket.daemonUsers() }
        #expect(symlink(folder.path(of: "real"), socket.folder) == 0)
        #expect(throws: FileError.self) { try socket.daemonUsers() }
        #expect(unlink(socket.folder) == 0 && mknod(socket.folder, S_IFREG | 0o644, 0) == 0)
        #expect(throws: FileError.self) { try socket.daemonUsers() }
    }

    @Test("everybody may connect to the system service, and nobody else to a user's daemon")
    func modes() throws {
        #expect(SocketLocation.system.mode == 0o666)
        #expect(SocketLocation.system.path == "/run/swift-keychain/keychaind.sock")
        let own = SocketLocation(path: folder.path(of: "own/keychaind.sock"))
        _ = try own.openFolder(making: true)
        #expect(own.mode == 0o600)
        #expect(try own.daemonUsers() == [geteuid()])
    }
}
