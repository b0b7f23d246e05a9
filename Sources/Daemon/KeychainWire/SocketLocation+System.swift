// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

// The socket of the system service, which serves the programs of all users and runs as a user of its own.
extension SocketLocation {
    /// The socket of the system service.
    package static let system = SocketLocation(path: "/run/swift-keychain/keychaind.sock", isSystemService: true)

    /// The mode of the socket: every user may connect to that of the system service.
    package var mode: mode_t { isSystemService ? 0o666 : 0o600 }

    /// The users whose daemon may listen there.
    ///
    /// For the system service these are root, as which systemd listens for it, and the owner of the folder: only root
    /// can have created that folder, because its parent and all folders above are owned by root, and in none of them
    /// can another user replace an entry.
    ///
    /// - Throws: ``FileError`` for a folder that cannot be trusted; `system` with `ENOENT` for a missing one.
    package func daemonUsers() throws(FileError) -> Set<UInt32> {
        guard isSystemService else {
            _ = try openFolder(making: false)
            return [geteuid()]
        }
        return [0, try Self.checkedFolder(folder).st_uid]
    }

    /// Opens the folder of the system service for the service itself.
    func openSystemFolder(making isMade: Bool) throws(FileError) -> PrivateDirectory {
        if isMade, mkdir(folder, 0o755) == 0, chmod(folder, 0o755) != 0 {
            throw .system(call: "chmod", path: folder, errno: errno)
        }
        let owner = try Self.checkedFolder(folder).st_uid
        guard let opened = try PrivateDirectory(asItIs: KeychainLocation(path: folder)) else {
            throw .exposed(path: folder, "is owned by user \(owner), and the system service runs as another one")
        }
        return opened
    }

    private static func checkedFolder(_ path: String) throws(FileError) -> stat {
        let folder = try entry(path)
        guard folder.st_mode & 0o022 == 0 else { throw .exposed(path: path, "is writable by other users") }
        let parent = parent(of: path)
        guard try entry(parent).st_mode & 0o022 == 0 else {
            throw .exposed(path: parent, "is writable by other users")
        }
        var part = parent
        while true {
            let status = try entry(part)
            guard status.st_uid == 0 else { throw .exposed(path: part, "is not owned by root") }
            // In a folder with the sticky bit, as /tmp, only the owner of an entry replaces it.
            guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
                throw .exposed(path: part, "is writable by other users")
            }
            guard part != "/" else { return folder }
            part = self.parent(of: part)
        }
    }

    private static func entry(_ path: String) throws(FileError) -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system(call: "lstat", path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .wrongKind(path: path, expected: "a folder") }
        return status
    }

    private static func parent(of path: String) -> String {
        path.parentFolder
    }
}
