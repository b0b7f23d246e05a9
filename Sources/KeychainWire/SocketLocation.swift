// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
public import HostFiles

/// Where the daemon of a user listens for a store: a folder that is the user's alone, and the name of a socket in it.
public struct SocketLocation: Sendable, Hashable {
    /// The absolute path of the folder.
    public let folder: String

    /// The name of the socket.
    public let name: String

    /// A folder that must be there already; `nil` when parents may be made, too.
    private let requiredParent: String?

    /// The socket for a store.
    ///
    /// The folder is `swift-keychain` in `$XDG_RUNTIME_DIR` (XDG Base Directory Specification 0.8), else in `/run/user`
    /// of the user where there is such a folder of theirs, else `swift-keychain-` and the user's number in `/tmp`. The
    /// name is `keychaind.sock` for the store in `.local/share` of the home that the user database names. For any other
    /// it has eight hexadecimal digits of the SHA-256 (FIPS 180-4) of its path, so that two environments that name
    /// two stores do not meet at one socket.
    ///
    /// - Throws: ``FileError``, or what `environment` throws.
    public init(
        of store: KeychainLocation,
        environment: (String) throws(FileError) -> String? = { name throws(FileError) in
            try ProcessEnvironment.path(name)
        },
        homeOfUser: () -> String? = KeychainLocation.homeFromUserDatabase
    ) throws(FileError) {
        let path = Self.resolved(store.path)
        if let home = homeOfUser(), path == Self.resolved("\(home)/.local/share/swift-keychain") {
            name = "keychaind.sock"
        } else {
            let digits = SHA256.hash(data: Array(path.utf8)).prefix(4).map { Self.hexadecimal($0) }.joined()
            name = "keychaind-\(digits).sock"
        }
        if let runtime = try environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
            folder = "\(runtime)/swift-keychain"
            requiredParent = runtime
        } else if Self.isOwnFolder("/run/user/\(geteuid())") {
            folder = "/run/user/\(geteuid())/swift-keychain"
            requiredParent = "/run/user/\(geteuid())"
        } else {
            folder = "/tmp/swift-keychain-\(geteuid())"
            requiredParent = "/tmp"
        }
    }

    /// A socket by its absolute path, in a folder that is the user's alone and no symbolic link.
    public init(path: String) {
        let parts = path.split(separator: "/")
        name = parts.last.map(String.init) ?? ""
        folder = "/" + parts.dropLast().joined(separator: "/")
        requiredParent = nil
    }

    /// The absolute path of the socket.
    public var path: String { "\(folder)/\(name)" }

    /// Opens the folder, and makes it if it is missing and `isMade`.
    ///
    /// - Throws: ``FileError`` for a folder that belongs to another user or is open to others, and for a symbolic link;
    ///   `system` with `ENOENT` for one that is missing.
    public func openFolder(making isMade: Bool) throws(FileError) -> PrivateDirectory {
        if let requiredParent, access(requiredParent, F_OK) != 0 {
            throw .system(call: "stat", path: requiredParent, errno: errno)
        }
        // In a folder such as /tmp another user could put a link there that leads to a folder of this one. A path that
        // was recorded may be in such a folder, too.
        var status = stat()
        let isThere = lstat(folder, &status) == 0
        if isThere, status.st_mode & S_IFMT == S_IFLNK {
            throw .wrongKind(path: folder, expected: "a folder")
        }
        guard isThere || isMade else { throw .system(call: "stat", path: folder, errno: errno) }
        return try PrivateDirectory(KeychainLocation(path: folder))
    }

    /// Lends a path of the socket that an address has room for (unix(7): 107 bytes).
    ///
    /// - Throws: ``FileError`` for a long path whose folder cannot be opened.
    public func withShortPath<Result>(_ body: (String) -> Result) throws(FileError) -> Result {
        guard path.utf8.count > Self.longestPath else { return body(path) }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: folder, errno: errno) }
        defer { close(descriptor) }
        return body("/proc/self/fd/\(descriptor)/\(name)")
    }

    private static let longestPath = 107

    /// The path without symbolic links, as far as there is one: a store has one socket, by whatever path it is named.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return path }
            return Self.resolved(String(path[..<slash])) + path[slash...]
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
}
