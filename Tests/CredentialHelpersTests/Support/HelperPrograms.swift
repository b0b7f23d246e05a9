// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Foundation
import Glibc
import KeychainTestSupport

/// The program of this build under the names of the helpers, and a keychain in a folder.
final class HelperPrograms: Sendable {
    let folder: TemporaryFolder

    /// Runs programs with the helpers in their path, on that keychain.
    let shell: Shell

    init() throws {
        folder = try TemporaryFolder(prefix: "kh")
        let programs = folder.path(of: "programs")
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
        for name in HelperName.allCases {
            try FileManager.default.createSymbolicLink(
                atPath: "\(programs)/\(name.rawValue)",
                withDestinationPath: try DaemonFolder.program(HelperName.program)
            )
        }
        shell = Shell(environment: [
            "SWIFT_KEYCHAIN_HOME": folder.path(of: "keychain"), "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path,
            "SWIFT_KEYCHAIN_AUTHENTICATOR": "none", "PATH": "\(programs):/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C",
        ])
    }

    /// The path of a helper.
    func path(_ name: HelperName) -> String { folder.path(of: "programs/\(name.rawValue)") }

    func run(_ name: HelperName, _ arguments: [String], input: String = "") throws -> Shell.Outcome {
        try shell.run(path(name), arguments, input: input)
    }
}

/// The programs of others that call the helpers, where they are installed.
enum Caller {
    static func path(_ name: String) -> String? {
        ["/usr/bin/\(name)", "/bin/\(name)"].first { access($0, X_OK) == 0 }
    }

    static let git = path("git")
}
