// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

/// A keychain whose daemon is uninstalled: uninstalling says so before, and programs say so after.
struct UninstalledDaemonTests {
    private let folder: DaemonFolder
    private let shell: Shell

    init() throws {
        folder = try DaemonFolder(isEnabled: false)
        var environment = try Shell.beside(folder).environment
        environment["SWIFT_KEYCHAIND"] = nil
        shell = Shell(environment: environment)
        let embedded = EmbeddedKeychain(at: folder.location)
        #expect(try embedded.device.status().hasPasscode == false)
        _ = try embedded.storeMark()
        try embedded.handOver(to: .daemon)
    }

    @Test("a program says that the daemon is not installed, and what to do")
    func library() throws {
        let path = folder.location.path + "/keychaind-that-was"
        let directory = try #require(try PrivateDirectory(existing: folder.location))
        try ServiceRecord(program: path, socket: folder.location.path + "/socket").write(in: directory)
        let outcome = try shell.security("find-generic-password -s svc")
        #expect(outcome.status != 44 && outcome.status != 0)
        #expect(outcome.errors.contains("owned by a daemon that is not installed: \(path) is missing"), "\(outcome)")
        #expect(outcome.errors.contains("keychainctl service disable"), "\(outcome)")
    }

    @Test("uninstalling is refused with the way out, and goes on when it is forced or the keychain was given back")
    func uninstall() throws {
        let prefix = try TemporaryFolder()
        let tool = prefix.path(of: "bin/keychainctl")
        func install() throws {
            try FileManager.default.createDirectory(atPath: prefix.path(of: "bin"), withIntermediateDirectories: true)
            try? FileManager.default.removeItem(atPath: tool)
            try FileManager.default.createSymbolicLink(
                atPath: tool,
                withDestinationPath: try DaemonFolder.program("keychainctl")
            )
        }
        let script =
            URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/").dropFirst()
            + "/Scripts/install"
        func uninstall(_ options: String...) throws -> Shell.Outcome {
            try shell.run("/bin/sh", [String(script), "--uninstall", "--prefix", prefix.path] + options)
        }
        try install()
        let refused = try uninstall()
        #expect(refused.status == 1)
        #expect(refused.errors.contains("\(tool) service disable"), "\(refused)")
        #expect(FileManager.default.fileExists(atPath: tool))
        #expect(try uninstall("--force").status == 0)
        #expect(!FileManager.default.fileExists(atPath: tool))
        try install()
        let given = try shell.run(tool, ["service", "disable"])
        #expect(given.status == 0, "\(given)")
        let done = try uninstall()
        #expect(done.status == 0 && done.output.contains("No keychain was touched"), "\(done)")
    }
}
