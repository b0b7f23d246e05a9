// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainTestSupport

/// The arguments with which `keychainctl` signs a program of this build.
enum SigningWords {
    /// Those for a program and a key, with the libraries of a toolchain that others than root may be able to change.
    static func of(_ program: String, key: String) throws -> [String] {
        let needed = try Shell(environment: ["PATH": "/usr/bin:/bin"]).run("/usr/bin/ldd", [program]).output
        let libraries = needed.split(whereSeparator: \.isWhitespace).filter { word in
            word.hasPrefix("/") && !word.hasPrefix("/lib") && !word.hasPrefix("/usr/lib")
        }
        let areRoots = libraries.allSatisfy { library in
            var status = stat()
            return stat(String(library), &status) == 0 && status.st_uid == 0
        }
        let named = libraries.flatMap { ["--library", String($0)] } + (areRoots ? [] : ["--preload"])
        return ["sign", "--team-key", key] + named + [program]
    }
}
