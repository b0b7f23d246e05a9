// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainWire

/// A listening socket that a daemon creates itself, without socket activation; only one daemon uses it at a time.
///
/// A lock file beside it is held for as long as the object lives. So a socket that is found without its lock held was
/// left by a daemon that was killed, and is replaced.
package final class ListeningSocket: Sendable {
    /// The socket, for ``KeychainServer``.
    package let descriptor: Int32

    private let location: SocketLocation
    private let folder: PrivateDirectory
    private let name: String
    private let lock: FileLock
    /// The socket in the folder, which another daemon or a service manager may replace.
    private let identity: FileIdentity?

    /// Listens at a location; the folder is created if it is missing.
    ///
    /// - Throws: `errSecNotAvailable` if another daemon listens there, or the folder cannot be used or is not private
    ///   to the user.
    package init(_ location: SocketLocation) throws(KeychainError) {
        let descriptor: Int32
        self.location = location
        do throws(FileError) {
            folder = try location.openFolder(making: true)
            name = location.name
            // Where no daemon can listen, no lock is left either.
            _ = try Self.hasSocket(name, in: folder)
            lock = try FileLock("\(name).lock", in: folder, until: Deadline(milliseconds: 0))
            // A service manager that listens on it does not hold the lock.
            guard !location.answers else { throw FileError.lockTimeout(path: location.path) }
            if try Self.hasSocket(name, in: folder) { folder.remove(name) }
            descriptor = keychain_open_private_socket()
            guard descriptor >= 0 else { throw .system(call: "socket", path: location.path, errno: errno) }
        } catch .lockTimeout {
            throw KeychainError(
                .notAvailable,
                "another keychain daemon listens on \(location.path)",
                kind: .unavailable,
                facts: ["path": location.path]
            )
        } catch {
            throw KeychainError(socket: error)
        }
        self.descriptor = descriptor
        do throws(FileError) {
            let failure = try location.withShortPath { keychain_listen(descriptor, $0, location.mode, Self.backlog) }
            guard failure == 0 else { throw .system(call: "bind", path: location.path, errno: failure) }
            identity = FileIdentity(path: folder.path(of: name))
        } catch {
            throw KeychainError(socket: error)
        }
    }

    deinit {
        // In a child the descriptor is closed, and the name is the parent's.
        guard forkGeneration == keychain_fork_generation() else { return }
        if !isReplaced { folder.remove(name) }
        keychain_close_private(descriptor)
    }

    /// Whether its path no longer leads to this socket, or not for the user's programs: in a folder that another user
    /// has taken, they look for none.
    package var isReplaced: Bool { location.isTaken || identity?.isReplaced(at: folder.path(of: name)) ?? true }

    private let forkGeneration = keychain_fork_generation()

    /// The length of the backlog (listen(2)).
    private static let backlog: Int32 = 512

    /// Whether there is a socket with a name.
    ///
    /// - Throws: ``FileError/wrongKind(path:expected:)`` if there is something else.
    private static func hasSocket(_ name: String, in folder: PrivateDirectory) throws(FileError) -> Bool {
        let path = folder.path(of: name)
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .wrongKind(path: path, expected: "a socket") }
        return true
    }
}
