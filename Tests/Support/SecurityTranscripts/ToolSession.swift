// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainFiles
import KeychainHost
import KeychainMacFrontEnd
import KeychainTestSupport
import KeychainTrust
import SecurityTool

/// The commands of a user in this process, one after the other: keychain files keep their lock state between them.
package struct ToolSession {
    private let user: ToolUser
    private let keychain: UserKeychains
    private let trustSettings = TrustSettingsStore.inMemory()

    /// A session of a user who has run nothing yet.
    package init(_ user: ToolUser) {
        self.user = user
        keychain = UserKeychains(KeychainLocation(path: user.keychainPath))
    }

    /// Runs a command without a terminal.
    package func run(_ arguments: [String], input: String?) throws -> ToolProcess.Result {
        let folder = try TemporaryFolder(prefix: "streams")
        try Data((input ?? "").utf8).write(to: URL(fileURLWithPath: folder.path(of: "input")))
        let streams = [
            open(folder.path(of: "input"), O_RDONLY | O_CLOEXEC),
            open(folder.path(of: "output"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600),
            open(folder.path(of: "errors"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600),
        ]
        defer { for stream in streams { close(stream) } }
        let preferences = KeychainPreferences(
            home: KeychainHome(path: user.home.path),
            systemFolder: user.home.path(of: "system")
        )
        let tool = Tool(backend: keychain, preferences: preferences, terminal: nil, trustSettings: trustSettings)
        let status = tool.run(
            arguments: arguments.map { Array($0.utf8) },
            input: streams[0],
            output: streams[1],
            errors: streams[2]
        )
        let contents = try ["output", "errors"].map {
            Array(try Data(contentsOf: URL(fileURLWithPath: folder.path(of: $0))))
        }
        return ToolProcess.Result(status: status & 0xFF, output: contents[0], errors: contents[1])
    }
}

/// The data protection keychain and the keychain files of a user.
private final class UserKeychains: KeychainBackend {
    private let dataProtection: EmbeddedKeychain
    private let keychainFiles = KeychainFiles.forTesting()

    init(_ location: KeychainLocation) { dataProtection = EmbeddedKeychain(at: location) }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard case .files = command else { return try dataProtection.perform(command) }
        return try keychainFiles.perform(command)
    }
}
