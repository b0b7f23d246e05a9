// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// A keychain file as a collection, with programs as they are: `keychaind` on a bus of its own, the daemon of keychain
/// files that it starts, `security`, and `secret-tool`.
@Suite(.timeLimit(.minutes(10)))
struct FileCollectionCrossingTests {
    private let folder: TemporaryFolder
    private let shell: Shell
    private let bus: String

    init() throws {
        folder = try TemporaryFolder(prefix: "kx")
        let runtime = folder.path(of: "run")
        try FileManager.default.createDirectory(
            atPath: runtime,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        bus = "\(runtime)/bus"
        shell = Shell(environment: [
            "HOME": folder.path, "SWIFT_KEYCHAIN_HOME": folder.path(of: "keychain"), "XDG_RUNTIME_DIR": runtime,
            "SWIFT_KEYCHAIN_AUTHENTICATOR": "none", "SWIFT_KEYCHAIND": try DaemonFolder.program("keychaind"),
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(bus)", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
        ])
    }

    private func secretTool(_ line: String, input: String = "") throws -> Shell.Outcome {
        try shell.run("/usr/bin/secret-tool", line.split(separator: " ").map(String.init), input: input)
    }

    private func security(_ line: String) throws -> String {
        let outcome = try shell.security(line)
        return outcome.status == 0 ? outcome.output : "\(outcome.status)"
    }

    @Test(
        "what the bus stores in a keychain file, security finds there, and the other way round; the file has one lock"
    )
    func crossing() throws {
        let daemon = try shell.process("keychaind", ["--foreground", "--secret-service", "--bus", bus])
        daemon.standardError = FileHandle.nullDevice
        try daemon.run()
        defer {
            daemon.terminate()
            daemon.waitUntilExit()
        }
        let nothing = Shell.Outcome(status: 1, output: "", errors: "")
        let isServed = try eventually("the service answers") { try secretTool("lookup no item") == nothing }
        try #require(isServed)
        let done = Shell.Outcome(status: 0, output: "", errors: "")
        func found(_ secret: String) -> Shell.Outcome { Shell.Outcome(status: 0, output: secret, errors: "") }
        #expect(try security("create-keychain -p password work.keychain") == "")
        #expect(try security("list-keychains -s login.keychain work.keychain") == "")
        let store = "store --collection=/org/freedesktop/secrets/collection/work --label=L service S account A"
        #expect(try secretTool(store, input: "first") == done)
        #expect(try security("find-generic-password -s S -a A -w work.keychain") == "first\n")
        #expect(try security("add-generic-password -s T -a B -w other work.keychain") == "")
        #expect(try secretTool("lookup service T username B") == found("other"))
        #expect(try security("add-generic-password -U -s S -a A -w second work.keychain") == "")
        #expect(try secretTool("lookup service S account A") == found("second"))
        #expect(try secretTool(store, input: "third") == done)
        #expect(try security("find-generic-password -s S -a A -w work.keychain") == "third\n")
        #expect(try security("lock-keychain work.keychain") == "")
        #expect(try secretTool("lookup service S account A").status == 1)
        #expect(try security("unlock-keychain -p password work.keychain") == "")
        #expect(try secretTool("lookup service S account A") == found("third"))
        #expect(try secretTool("clear service T") == done)
        #expect(try security("find-generic-password -s T work.keychain") == "44")
        #expect(try shell.security("delete-generic-password -s S work.keychain").status == 0)
        #expect(try secretTool("lookup service S account A") == nothing)
        #expect(try security("delete-keychain work.keychain") == "")
        #expect(try secretTool(store, input: "x").status == 1)
    }
}
