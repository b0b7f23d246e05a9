// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport

/// A user: an empty home, an empty folder for temporary files, and an empty current folder.
package final class ToolUser: Sendable {
    package let home: TemporaryFolder
    package let temporary: TemporaryFolder
    package let current: TemporaryFolder

    package init() throws {
        home = try TemporaryFolder(prefix: "home")
        temporary = try TemporaryFolder(prefix: "tmp")
        current = try TemporaryFolder(prefix: "cwd")
    }

    /// The keychain's folder, as it derives from the home.
    package var keychainPath: String { home.path(of: ".local/share/swift-keychain") }

    package var environment: [String: String] {
        ["HOME": home.path, "XDG_RUNTIME_DIR": home.path, "TMP": temporary.path, "PATH": "/usr/bin:/bin"]
    }

    /// The printed name of the keychain.
    package var keychainName: String { home.path(of: "Library/Keychains/login.keychain-db") }

    /// Runs the program until it ends.
    @discardableResult
    package func run(_ arguments: [String], input: String? = nil) throws -> ToolProcess.Result {
        try run(arguments.map { Array($0.utf8) }, input: input.map { Array($0.utf8) })
    }

    package func run(_ arguments: [[UInt8]], input: [UInt8]? = nil) throws -> ToolProcess.Result {
        let files = try TemporaryFolder(prefix: "streams")
        var streams = ToolProcess.Streams(output: files.path(of: "output"), errors: files.path(of: "errors"))
        if let input {
            streams.input = files.path(of: "input")
            try Data(input).write(to: URL(fileURLWithPath: files.path(of: "input")))
        }
        let process = try ToolProcess.start(arguments, in: current.path, environment: environment, streams)
        let status = try process.wait()
        let contents = try ["output", "errors"].map {
            Array(try Data(contentsOf: URL(fileURLWithPath: files.path(of: $0))))
        }
        return ToolProcess.Result(status: status, output: contents[0], errors: contents[1])
    }
}
