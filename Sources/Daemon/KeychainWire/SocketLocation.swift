// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Crypto
import Glibc
import KeychainCore
import KeychainHost

/// The socket of a daemon: a folder, and the name of a socket in it.
///
/// The folder of a user's daemon is private to the user. That of the system service is open to all users, and only root
/// and the service can change it (``daemonUsers()``).
package struct SocketLocation: Sendable, Hashable {
    /// The absolute path of the folder.
    package let folder: String

    /// The name of the socket.
    package let name: String

    /// A folder that must exist already; `nil` if parents may be created, too.
    private let requiredParent: String?

    /// An alternative to a folder from the environment; `nil` for one from another source.
    private let advice: String?

    /// Whether it is the socket of the system service.
    package let isSystemService: Bool

    /// The socket for a store.
    ///
    /// The folder is `swift-keychain` in ``RuntimeFolder``, else in `/run/user/UID` if the user owns such a folder,
    /// else `/tmp/swift-keychain-UID`, or, where that name is no folder of the user's alone (``isTaken``), `run` in the
    /// folder of the store. The name is `keychaind.sock` for the store in `.local/share` of the home folder in the user
    /// database, and `keychaind-files.sock` for the daemon of keychain files beside it. For any other folder it has
    /// eight hexadecimal digits of the SHA-256 (FIPS 180-4) of its path, so that two never share a socket.
    ///
    /// - Throws: ``FileError``, or what `environment` throws.
    package init(
        of store: KeychainLocation,
        environment: (String) throws(FileError) -> String? = { name throws(FileError) in
            try ProcessEnvironment.path(name)
        },
        homeOfUser: () -> String? = KeychainLocation.homeFromUserDatabase,
        foldersOfUsers: String = "/run/user",
        temporaryFolder: String = "/tmp"
    ) throws(FileError) {
        let path = Self.resolved(store.path)
        let usual = homeOfUser().map { KeychainLocation(path: "\($0)/.local/share/swift-keychain") }
        if let usual, path == Self.resolved(usual.path) {
            name = "keychaind.sock"
        } else if let usual, path == Self.resolved(usual.fileDaemon.path) {
            name = "keychaind-files.sock"
        } else {
            let digits = SHA256.hash(data: Array(path.utf8)).prefix(4).hexadecimal
            name = "keychaind-\(digits).sock"
        }
        if let runtime = try RuntimeFolder.path(environment) {
            folder = "\(runtime)/swift-keychain"
            requiredParent = runtime
            advice = "set XDG_RUNTIME_DIR to a folder of your own, or unset it"
        } else if Self.isOwnFolder("\(foldersOfUsers)/\(geteuid())") {
            folder = "\(foldersOfUsers)/\(geteuid())/swift-keychain"
            requiredParent = "\(foldersOfUsers)/\(geteuid())"
            advice = Self.advice
        } else if !Self.isTaken("\(temporaryFolder)/swift-keychain-\(geteuid())") {
            folder = "\(temporaryFolder)/swift-keychain-\(geteuid())"
            requiredParent = temporaryFolder
            advice = Self.advice
        } else {
            folder = Self.folder(inStore: path)
            (requiredParent, advice) = (nil, nil)
        }
        isSystemService = false
    }

    /// The socket of the same name in the folder of a store, which no other user can take.
    package func inFolder(of store: KeychainLocation) -> SocketLocation {
        SocketLocation(path: "\(Self.folder(inStore: Self.resolved(store.path)))/\(name)")
    }

    private static func folder(inStore path: String) -> String { "\(path)/run" }

    /// A socket by its absolute path, in a folder that is private to the user and not a symbolic link, or in that of a
    /// system service.
    package init(path: String, isSystemService: Bool = false) {
        self.isSystemService = isSystemService
        name = path.pathNames.last ?? ""
        folder = path.parentFolder
        (requiredParent, advice) = (nil, nil)
    }

    private static let advice = "set XDG_RUNTIME_DIR to a folder of your own"

    /// The absolute path of the socket.
    package var path: String { "\(folder)/\(name)" }

    /// The socket of the daemon's message bus, beside this one.
    package var bus: SocketLocation {
        let store = name.hasPrefix("keychaind") ? name.dropFirst("keychaind".count) : name[...]
        return SocketLocation(path: "\(folder)/bus\(store.hasSuffix(".sock") ? store.dropLast(5) : store)")
    }

    /// The address of a message bus that listens there, as `DBUS_SESSION_BUS_ADDRESS` has it (D-Bus Specification,
    /// "Server Addresses").
    package var busAddress: String {
        let plain = Set("-_/.\\*0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        let escaped = path.utf8.map { byte in
            plain.contains(byte) ? String(decoding: [byte], as: UTF8.self) : "%" + [byte].hexadecimal
        }
        return "unix:path=\(escaped.joined())"
    }

    /// Opens the folder, and creates it if it is missing and `isMade`.
    ///
    /// - Throws: ``FileError`` for a folder that is owned by another user or accessible to others, and for a symbolic
    ///   link; `system` with `ENOENT` for a missing one.
    package func openFolder(making isMade: Bool) throws(FileError) -> PrivateDirectory {
        if isSystemService { return try openSystemFolder(making: isMade) }
        if let requiredParent, let advice, access(requiredParent, F_OK) != 0 {
            throw .unusableFolder(path: requiredParent, String(cString: strerror(errno)), advice: advice)
        }
        if let advice, let owner = Self.foreignOwner(of: folder) {
            throw .unusableFolder(path: folder, "it belongs to another user (\(owner))", advice: advice)
        }
        var status = stat()
        guard isMade || lstat(folder, &status) == 0 else { throw .system(call: "stat", path: folder, errno: errno) }
        // In a folder such as /tmp another user could put a link there that leads to a folder of this one. A path that
        // was recorded may be in such a folder, too.
        return try PrivateDirectory(inSharedFolder: folder)
    }

    /// Passes a path of the socket that fits into an address (unix(7): 107 bytes) to a closure.
    ///
    /// - Throws: ``FileError`` for a long path whose folder cannot be opened.
    package func withShortPath<Result>(_ body: (String) -> Result) throws(FileError) -> Result {
        guard path.utf8.count > Self.longestPath else { return body(path) }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: folder, errno: errno) }
        defer { close(descriptor) }
        return body("/proc/self/fd/\(descriptor)/\(name)")
    }

    /// The maximum length of the address of a socket, in bytes (unix(7)).
    package static let longestPath = 107

    /// The path with symbolic links resolved, as far as it exists: a store has one socket, whichever path names it.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else {
            guard let name = path.pathNames.last, path.pathNames.count > 1 else { return path }
            return "\(Self.resolved(path.parentFolder))/\(name)"
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The owner of a file, folder or link if that is another user; `nil` if it is this user, or it does not exist.
    private static func foreignOwner(of path: String) -> UInt32? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_uid != geteuid() ? status.st_uid : nil
    }

    /// Whether the folder of a user's daemon is not that user's alone, such as one in /tmp that another user made after
    /// the user's own was gone.
    package var isTaken: Bool { !isSystemService && Self.isTaken(folder) }

    private static func isTaken(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            // A folder around it is another user's.
            if errno == EACCES { return true }
            return errno == ENOENT && faccessat(AT_FDCWD, path.parentFolder, W_OK, AT_EACCESS) != 0 && errno == EACCES
        }
        return status.st_mode & S_IFMT != S_IFDIR || status.st_uid != geteuid() || status.st_mode & 0o077 != 0
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }
}

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

extension SocketLocation {
    /// Whether a process listens.
    package var answers: Bool {
        let descriptor = keychain_open_private_socket()
        guard descriptor >= 0 else { return false }
        defer { keychain_close_private(descriptor) }
        let failure = try? withShortPath { keychain_connect(descriptor, $0) }
        // The backlog is full.
        return failure == 0 || failure == EAGAIN
    }
}
