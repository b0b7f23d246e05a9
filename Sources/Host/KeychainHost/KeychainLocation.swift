// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The path of the user's keychain.
///
/// `SWIFT_KEYCHAIN_HOME` specifies the folder itself. Otherwise it is `swift-keychain` in `$XDG_DATA_HOME`, or in
/// `~/.local/share` if that is not set or not absolute (XDG Base Directory Specification 0.8).
package struct KeychainLocation: Sendable, Hashable {
    /// The environment variable that names the folder.
    package static let environmentVariable = "SWIFT_KEYCHAIN_HOME"

    /// The folder of the system service, which has a folder for the keychain of each user, named by the user ID.
    package static let systemFolder = "/var/lib/swift-keychain"

    /// The file in the folder of a user there that has the name of the account.
    package static let accountFileName = "account"

    /// The absolute path of the folder.
    package let path: String

    /// A folder that must exist before anything is created in it; `nil` if parents may be created, too.
    package let requiredParent: String?

    /// Whether the folder itself was configured, rather than a home or a folder for the data of programs.
    package let isNamed: Bool

    /// The location for an environment.
    ///
    /// - Parameters:
    ///   - environment: the value of an environment variable.
    ///   - homeOfUser: the user's home folder from the user database, for use if `HOME` is not set.
    /// - Throws: ``FileError/unusablePath(_:_:)`` for a relative `SWIFT_KEYCHAIN_HOME`,
    /// ``FileError/noHome(_:)`` if no home is known, or the errors of `environment`.
    package init(
        environment: (String) throws(FileError) -> String?,
        homeOfUser: () -> String? = KeychainLocation.homeFromUserDatabase
    ) throws(FileError) {
        if let path = try environment(Self.environmentVariable), !path.isEmpty {
            guard path.isAbsolutePath else {
                throw .unusablePath(path, "\(Self.environmentVariable) must be an absolute path")
            }
            self.path = path
            requiredParent = nil
            isNamed = true
        } else if let data = try environment("XDG_DATA_HOME"), data.isAbsolutePath {
            path = data + "/swift-keychain"
            requiredParent = nil
            isNamed = false
        } else {
            let named = try environment("HOME").flatMap { $0.isAbsolutePath ? $0 : nil }
            guard let home = named ?? homeOfUser() else { throw .noHome("of this user") }
            path = home + "/.local/share/swift-keychain"
            requiredParent = home
            isNamed = false
        }
    }

    /// A location by its absolute path.
    package init(path: String) {
        self.path = path
        requiredParent = nil
        isNamed = true
    }

    private init(path: String, requiredParent: String?, isNamed: Bool) {
        self.path = path
        self.requiredParent = requiredParent
        self.isNamed = isNamed
    }

    /// The folder of the daemon that serves keychain files to the programs that use this location.
    ///
    /// It contains the lock and the record of that daemon, and no keychain.
    package var fileDaemon: KeychainLocation {
        KeychainLocation(path: "\(path)/files", requiredParent: requiredParent, isNamed: isNamed)
    }

    /// Whether a path leads into the folder of this process's keychain, where programs take a file for one of the
    /// keychain's by its name, and remove or replace it.
    package static func isInOwnFolder(_ path: String) -> Bool {
        guard let own = try? KeychainLocation(environment: ProcessEnvironment.path) else { return false }
        return own.contains(path)
    }

    /// Whether a path leads into this folder, through whatever links; the last part of it need not exist.
    package func contains(_ path: String) -> Bool {
        let path = path.isAbsolutePath ? path : "\(Self.resolved(".") ?? "")/\(path)"
        guard let own = Self.resolved(self.path), let other = Self.resolved(path) ?? Self.resolved(path.parentFolder)
        else { return false }
        return other == own || other.hasPrefix("\(own)/")
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    /// The home folder of the effective user from the user database; `nil` also if that is unknown.
    package static func homeFromUserDatabase() -> String? { (try? lookUpHome()).flatMap(\.self) }

    /// The home folder of the effective user from the user database; `nil` for a user that it does not contain.
    ///
    /// - Throws: ``FileError`` if it cannot be read (getpwuid_r(3)), or if the path is not UTF-8.
    package static func lookUpHome() throws(FileError) -> String? {
        try UserDatabase.home(of: geteuid())
    }
}
