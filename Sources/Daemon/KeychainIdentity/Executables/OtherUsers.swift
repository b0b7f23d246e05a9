// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The access of a user who owns nothing and is in no group, such as the system service.
enum OtherUsers {
    /// Why they cannot read the file at an absolute path; `nil` if they can.
    ///
    /// Access control lists are not considered (acl(5)).
    static func objection(toReading path: String) -> String? {
        let names = path.pathNames
        // From the root on: what is below a folder that this process cannot enter either, it cannot see.
        for depth in names.indices {
            let folder = "/" + names[..<depth].joined(separator: "/")
            guard mode(folder) & S_IXOTH != 0 else { return "other users cannot enter the folder \(folder)" }
        }
        return mode(path) & S_IROTH != 0 ? nil : "other users cannot read it"
    }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : 0
    }
}
