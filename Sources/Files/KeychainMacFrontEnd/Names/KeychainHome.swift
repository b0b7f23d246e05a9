// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The home folder of a user, in which keychain files and the preferences about them are (Semantics, "File-based
/// keychains").
package struct KeychainHome: Sendable, Hashable {
    /// The path, without a slash at its end.
    package let path: String

    /// The home folder at an absolute path.
    package init(path: String) {
        let end = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
        self.path = end.map { String(decoding: path.utf8[...$0], as: UTF8.self) } ?? "/"
    }

    /// The home folder of this process's user: `HOME`, or that of the user database.
    ///
    /// - Parameter variable: the value of `HOME`; `nil` if it is not set.
    package init(variable: String?) {
        if let variable, variable.isAbsolutePath {
            self.init(path: variable)
        } else {
            self.init(path: KeychainLocation.homeFromUserDatabase() ?? "/")
        }
    }

    /// The folder of the user's keychains.
    package var keychainFolder: String { "\(path)/Library/Keychains" }

    /// The path of a keychain from a typed name: absolute, or relative to the folder of the user's keychains,
    /// regardless of the current folder.
    ///
    /// In a folder `Library/Keychains`, `X` and `X-db` are one keychain: an existing `X` if there is no `X-db`, and
    /// else `X-db`.
    package func keychainPath(_ name: String) -> String {
        let path = Self.standardized(name.isAbsolutePath ? name : "\(keychainFolder)/\(name)")
        guard Self.isInKeychainFolder(path) else { return path }
        if path.hasSuffix(Self.suffix) {
            let plain = String(path.dropLast(Self.suffix.count))
            return !Self.exists(path) && Self.exists(plain) ? plain : path
        }
        return !Self.exists(path + Self.suffix) && Self.exists(path) ? path : path + Self.suffix
    }

    /// The path under which a keychain is created.
    package func newKeychainPath(_ name: String) -> String {
        let path = Self.standardized(name.isAbsolutePath ? name : "\(keychainFolder)/\(name)")
        return Self.isInKeychainFolder(path) && !path.hasSuffix(Self.suffix) ? path + Self.suffix : path
    }

    /// The name of a keychain as preferences have it: without `-db` in a folder `Library/Keychains`.
    package static func storedName(_ path: String) -> String {
        isInKeychainFolder(path) && path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path
    }

    /// The path of the login keychain.
    package var loginKeychainPath: String { keychainPath("login.keychain") }

    /// Whether a new keychain is added to the search list, and becomes the default if there is none.
    package static func isListedWhenMade(_ path: String) -> Bool {
        path.contains("/login.keychain") || storedName(path) == systemKeychain
    }

    /// The version that macOS would give the file: it decides whether items have partition lists.
    package static func formatVersion(_ path: String) -> Int { isInKeychainFolder(path) ? 512 : 256 }

    /// The path of the system's keychain.
    package static let systemKeychain = "/Library/Keychains/System.keychain"

    private static let suffix = "-db"

    /// Whether a keychain is in a folder `Library/Keychains` of a user.
    private static func isInKeychainFolder(_ path: String) -> Bool {
        let names = path.pathNames.dropLast()
        return names.count > 2 && names.suffix(2) == ["Library", "Keychains"]
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// A path without empty components and single dots; two dots stay, for what they mean depends on links.
    private static func standardized(_ path: String) -> String {
        "/" + path.pathNames.filter { $0 != "." }.joined(separator: "/")
    }
}
