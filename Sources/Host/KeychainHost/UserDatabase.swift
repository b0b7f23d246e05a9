// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// The accounts of the system: those that getpwuid_r(3) finds, in a statically linked program those of `/etc/passwd`.
package enum UserDatabase {
    /// The name of the account of a user ID.
    ///
    /// - Returns: The name; `nil` if there is no account, or if that cannot be determined.
    package static func name(of user: uid_t) -> String? {
        var name: String?
        _ = find(user) { found, _ in name = String(cString: found) }
        return name
    }

    /// The home folder of a user ID.
    ///
    /// - Returns: `nil` if there is no account.
    /// - Throws: ``FileError`` if the database cannot be read, or if the path is not UTF-8.
    package static func home(of user: uid_t) throws(FileError) -> String? {
        var home: String??
        let failure = find(user) { _, found in home = String(validatingCString: found) }
        // Some databases report ENOENT for a user that they do not contain.
        guard failure == 0 || failure == ENOENT else {
            throw .system(call: "getpwuid_r", path: "user \(user)", errno: failure)
        }
        guard let home else { return nil }
        guard let home else { throw .notUTF8("the home folder", "user \(user)") }
        return home
    }

    /// Entries are not longer than that; 1 MiB.
    private static let maximumEntryBytes = 1 << 20

    /// Calls a function with the entry of a user, if there is one, during which its texts are valid.
    ///
    /// - Parameters:
    ///   - user: the user ID.
    ///   - capacity: the size of the first buffer, in bytes; a longer entry gets a larger one.
    ///   - file: a file such as `/etc/passwd` to read; `nil` for the system's accounts.
    ///   - body: called with the name and the home folder.
    /// - Returns: The error number of getpwuid_r(3).
    static func find(
        _ user: uid_t,
        capacity: Int = 1 << 14,
        in file: String? = nil,
        _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void
    ) -> Int32 {
        var capacity = capacity
        while true {
            let failure = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer -> Int32 in
                guard let base = buffer.baseAddress else { return ENOMEM }
                var (name, home): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
                let failure = CSupport.account(user, file, base, buffer.count, &name, &home)
                if failure == 0, let name, let home { body(name, home) }
                return failure
            }
            guard failure == ERANGE, capacity < maximumEntryBytes else { return failure }
            capacity *= 2
        }
    }
}
