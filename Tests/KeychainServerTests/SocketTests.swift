// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Foundation
import KeychainClient
import KeychainCore
import KeychainHost
import KeychainServer
import KeychainTestSupport
import KeychainWire
import Testing

/// Where a daemon listens.
@Suite(.timeLimit(.minutes(5)))
struct SocketTests {
    private static func location(
        _ store: String,
        _ environment: [String: String] = ["XDG_RUNTIME_DIR": "/run/user/7"],
        temporaryFolder: String? = nil
    ) throws -> SocketLocation {
        try SocketLocation(
            of: KeychainLocation(path: store),
            environment: { (name) throws(FileError) in environment[name] },
            homeOfUser: { "/nowhere/anna" },
            foldersOfUsers: temporaryFolder.map { "\($0)/none" } ?? "/run/user",
            temporaryFolder: temporaryFolder ?? "/tmp"
        )
    }

    @Test("the user's own store has the plain name, every other one a name of its own")
    func names() throws {
        let own = try Self.location("/nowhere/anna/.local/share/swift-keychain")
        #expect(own.path == "/run/user/7/swift-keychain/keychaind.sock")
        let usual = KeychainLocation(path: "/nowhere/anna/.local/share/swift-keychain")
        let files = try Self.location(usual.fileDaemon.path)
        #expect(files.path == "/run/user/7/swift-keychain/keychaind-files.sock")
        let named = try Self.location("/nowhere/else")
        // The first digits of the SHA-256 of "/nowhere/else".
        #expect(named.path == "/run/user/7/swift-keychain/keychaind-b90805f8.sock")
        #expect(try Self.location("/nowhere/another") != named)
    }

    @Test(
        "the senders of bytes are told by the kernel, and nothing that could be taken for a passed descriptor",
        arguments: [34, 76]
    )
    func namesOfSenders(_ other: Int32) throws {
        // SO_PASSSEC and SO_PASSPIDFD, as who made the listening socket may have set them.
        let socket = keychain_open_private_socket()
        defer { keychain_close_private(socket) }
        var (on, length) = (Int32(1), socklen_t(MemoryLayout<Int32>.size))
        guard setsockopt(socket, SOL_SOCKET, other, &on, length) == 0 else {
            // Such a kernel never adds what it asks for.
            #expect([ENOPROTOOPT, EOPNOTSUPP].contains(errno))
            return
        }
        #expect(keychain_name_senders(socket) == 0)
        #expect(getsockopt(socket, SOL_SOCKET, other, &on, &length) == 0 && on == 0)
        #expect(getsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, &length) == 0 && on == 1)
    }

    @Test("a store has one socket, by whatever path it is named")
    func links() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.path(of: "store"), 0o700) == 0)
        #expect(symlink(folder.path(of: "store"), folder.path(of: "link")) == 0)
        #expect(try Self.location(folder.path(of: "store")) == Self.location(folder.path(of: "link")))
        #expect(try Self.location(folder.path(of: "none")) != Self.location(folder.path(of: "store")))
    }

    @Test("without a folder for the run time there is one for the user, in /run/user or in /tmp")
    func withoutRuntimeFolder() throws {
        let location = try Self.location("/nowhere/else", [:])
        let user = geteuid()
        let isLoggedIn = access("/run/user/\(user)", F_OK) == 0
        #expect(location.folder == (isLoggedIn ? "/run/user/\(user)/swift-keychain" : "/tmp/swift-keychain-\(user)"))
        // A relative path counts as none (XDG Base Directory Specification).
        #expect(try Self.location("/nowhere/else", ["XDG_RUNTIME_DIR": "run"]) == location)
    }

    @Test("a path longer than an address is served and reached nevertheless")
    func longPath() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/" + String(repeating: "x", count: 150) + "/s"
        #expect(path.utf8.count > 107)
        let location = SocketLocation(path: path)
        let socket = try ListeningSocket(location)
        let connection = try RawConnection(location)
        #expect(keychain_accept(socket.descriptor) >= 0)
        #expect(connection.socket >= 0)
    }

    @Test(
        "one daemon at a time listens; what a killed one left is replaced, and a daemon that ends takes its socket along"
    )
    func stale() throws {
        let folder = try TemporaryFolder()
        let location = SocketLocation(path: folder.path(of: "s"))
        do {
            let first = try ListeningSocket(location)
            let error = #expect(throws: KeychainError.self) { _ = try ListeningSocket(location) }
            #expect(error?.reason.contains("another keychain daemon") == true)
            #expect(first.descriptor >= 0)
        }
        #expect(access(location.path, F_OK) != 0)
        let killed = keychain_open_private_socket()
        #expect(keychain_listen(killed, location.path, 0o600, 1) == 0)
        // A child that another test is just starting has a copy, at which the socket would go on listening.
        #expect(shutdown(killed, Int32(SHUT_RDWR)) == 0)
        keychain_close_private(killed)
        #expect(access(location.path, F_OK) == 0)
        let next = try ListeningSocket(location)
        _ = try RawConnection(location)
        #expect(next.descriptor >= 0)
    }

    @Test("what lies in the way and is no socket is left alone")
    func inTheWay() throws {
        let folder = try TemporaryFolder()
        let location = SocketLocation(path: folder.path(of: "s"))
        #expect(FileManager.default.createFile(atPath: location.path, contents: Data("mine".utf8)))
        let error = #expect(throws: KeychainError.self) { _ = try ListeningSocket(location) }
        #expect(error?.reason.contains("not a socket") == true, "\(String(describing: error))")
        #expect(FileManager.default.contents(atPath: location.path) == Data("mine".utf8))
    }

    @Test("a folder that others can get at is used neither to listen nor to connect")
    func exposed() throws {
        let folder = try TemporaryFolder()
        #expect(chmod(folder.path, 0o755) == 0)
        let location = SocketLocation(path: folder.path(of: "s"))
        for error in [
            #expect(throws: KeychainError.self) { _ = try ListeningSocket(location) },
            #expect(throws: KeychainError.self) { try DaemonKeychain(at: location).device.status() },
        ] {
            #expect(error?.reason.contains("open to other users") == true, "\(String(describing: error))")
        }
    }

    @Test("a link in the place of the folder is not followed")
    func linkedFolder() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.path(of: "target"), 0o700) == 0)
        #expect(symlink(folder.path(of: "target"), folder.path(of: "swift-keychain")) == 0)
        let location = try Self.location("/nowhere/else", ["XDG_RUNTIME_DIR": folder.path])
        #expect(throws: FileError.self) { _ = try location.openFolder(making: true) }
        // The same by a path that was recorded.
        let recorded = SocketLocation(path: folder.path(of: "swift-keychain/s"))
        #expect(throws: FileError.self) { _ = try recorded.openFolder(making: true) }
        #expect(throws: KeychainError.self) { _ = try ListeningSocket(recorded) }
        #expect(access(folder.path(of: "target/s.lock"), F_OK) != 0)
    }

    @Test("a socket that is another's by now stays, and its daemon can tell")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let location = SocketLocation(path: folder.path(of: "s"))
        let other = keychain_open_private_socket()
        defer { keychain_close_private(other) }
        do {
            let socket = try ListeningSocket(location)
            #expect(!socket.isReplaced)
            #expect(unlink(location.path) == 0)
            #expect(socket.isReplaced)
            #expect(keychain_listen(other, location.path, 0o600, 1) == 0)
            #expect(socket.isReplaced)
        }
        _ = try RawConnection(location)
        #expect(keychain_accept(other) >= 0)
    }

    @Test("a socket at which somebody listens is not replaced, whether they hold the lock or not, as systemd does not")
    func listened() throws {
        let folder = try TemporaryFolder()
        let location = SocketLocation(path: folder.path(of: "s"))
        let other = keychain_open_private_socket()
        defer { keychain_close_private(other) }
        #expect(keychain_listen(other, location.path, 0o600, 4) == 0)
        let error = #expect(throws: KeychainError.self) { _ = try ListeningSocket(location) }
        #expect(error?.reason.contains("another keychain daemon") == true, "\(String(describing: error))")
        _ = try RawConnection(location)
    }

    @Test("a folder for the run time that is not there is said to be missing, and not made")
    func missingRuntimeFolder() throws {
        let folder = try TemporaryFolder()
        let location = try Self.location("/nowhere/else", ["XDG_RUNTIME_DIR": folder.path(of: "none")])
        let error = #expect(throws: KeychainError.self) { _ = try ListeningSocket(location) }
        #expect(error?.reason.contains(folder.path(of: "none")) == true)
        #expect(error?.reason.contains("set XDG_RUNTIME_DIR to a folder of your own, or unset it") == true)
        #expect(access(folder.path(of: "none"), F_OK) != 0)
    }

    @Test(
        "a folder for the run time that another user can change is passed over, as after su or sudo -E",
        .enabled(if: geteuid() == 0, "only the superuser can give a folder away"),
        arguments: [(UInt32(1), mode_t(0o700)), (0, 0o770), (0, 0o702)]
    )
    func changeableRuntimeFolder(_ owner: UInt32, _ mode: mode_t) throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.path(of: "run"), 0o700) == 0)
        let runtime = ["XDG_RUNTIME_DIR": folder.path(of: "run")]
        #expect(try Self.location("/nowhere/else", runtime).folder == folder.path(of: "run/swift-keychain"))
        #expect(chmod(folder.path(of: "run"), mode) == 0 && chown(folder.path(of: "run"), owner, owner) == 0)
        #expect(try Self.location("/nowhere/else", runtime) == Self.location("/nowhere/else", [:]))
    }

    @Test(
        "a folder of another user is not used, and the error says what can be done without that user",
        .enabled(if: geteuid() == 0)
    )
    func foreignRuntimeFolder() throws {
        let folder = try TemporaryFolder()
        let location = try Self.location("/nowhere/else", ["XDG_RUNTIME_DIR": folder.path])
        #expect(mkdir(location.folder, 0o700) == 0 && chown(location.folder, 1, 1) == 0)
        for error in [
            #expect(throws: KeychainError.self) { _ = try ListeningSocket(location) },
            #expect(throws: KeychainError.self) { try DaemonKeychain(at: location).device.status() },
        ] {
            let isClear = error?.reason.contains("belongs to another user (1); set XDG_RUNTIME_DIR") == true
            #expect(isClear, "\(String(describing: error))")
            #expect(error?.reason.contains(location.folder) == true)
        }
    }

    @Test(
        "where another user has taken the folder in /tmp, the socket is in the folder of the store, also at a long path",
        .enabled(if: geteuid() == 0, "only the superuser can give a folder away"),
        arguments: ["folder", "file", "link"],
        [10, 150]
    )
    func takenFolder(_ kind: String, _ length: Int) throws {
        let folder = try TemporaryFolder()
        let store = folder.path(of: String(repeating: "s", count: length))
        let taken = folder.path(of: "swift-keychain-\(geteuid())")
        #expect(try Self.location(store, [:], temporaryFolder: folder.path).folder == taken)
        switch kind {
        case "folder": #expect(mkdir(taken, 0o700) == 0)
        case "file": #expect(FileManager.default.createFile(atPath: taken, contents: nil))
        default: #expect(mkdir(store, 0o700) == 0 && symlink(store, taken) == 0)
        }
        #expect(lchown(taken, 1, 1) == 0)
        let location = try Self.location(store, [:], temporaryFolder: folder.path)
        #expect(location.folder == "\(store)/run")
        // Nobody listens: the program finds no folder, and makes none.
        #expect(throws: KeychainError.self) { try DaemonKeychain(at: location).device.status() }
        #expect(access("\(store)/run", F_OK) != 0)
        let socket = try ListeningSocket(location)
        let connection = try RawConnection(try Self.location(store, [:], temporaryFolder: folder.path))
        #expect(keychain_accept(socket.descriptor) >= 0)
        #expect(connection.socket >= 0)
        for folder in [store, "\(store)/run"] {
            var status = stat()
            #expect(lstat(folder, &status) == 0 && status.st_mode & 0o7777 == 0o700)
        }
    }
}
