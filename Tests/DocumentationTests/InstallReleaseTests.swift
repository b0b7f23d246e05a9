// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The step of GitHub Actions that installs the packages of a release, with a release of empty packages.
@Suite("Installed release")
final class InstallReleaseTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private static let packages = ["swift-keychain_1.2.3_amd64.deb", "swift-keychain-dev_1.2.3_amd64.deb"]

    init() throws {
        let release = folder.appendingPathComponent("releases/v1.2.3")
        let programs = folder.appendingPathComponent("bin")
        for one in [release, programs] {
            try FileManager.default.createDirectory(at: one, withIntermediateDirectories: true)
        }
        for name in Self.packages { try Data(name.utf8).write(to: release.appendingPathComponent(name)) }
        // What would change the system says what it was asked for.
        let stubs = [
            "dpkg": "echo amd64", "apt-get": "echo \"apt-get $*\"", "security": "echo installed", "sudo": "\"$@\"",
        ]
        for (name, command) in stubs {
            let file = programs.appendingPathComponent(name)
            try Data("#!/bin/sh\n\(command)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        #expect(try run("/bin/sh", ["-c", "cd '\(release.path)' && sha256sum *.deb > SHA256SUMS"]).status == 0)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ["PATH": "\(folder.path)/bin:/usr/bin:/bin"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    private func install(_ version: String = "1.2.3") throws -> (status: Int32, output: String) {
        let script = "\(Repository.root)/.github/actions/setup-swift-keychain/install-release"
        return try run(script, [folder.appendingPathComponent("releases").absoluteString, version])
    }

    private func file(_ name: String) -> URL { folder.appendingPathComponent("releases/v1.2.3/\(name)") }

    @Test("both packages are installed")
    func installs() throws {
        let outcome = try install()
        #expect(outcome.status == 0, "\(outcome.output)")
        for package in Self.packages { #expect(outcome.output.contains("./\(package)")) }
        #expect(outcome.output.hasSuffix("installed\n"))
    }

    @Test("a package that is not the one of the checksums is not installed", arguments: packages)
    func tampered(_ package: String) throws {
        try Data("another".utf8).write(to: file(package))
        let outcome = try install()
        #expect(outcome.status != 0 && !outcome.output.contains("apt-get"))
    }

    @Test("packages that the checksums do not list are not installed")
    func notListed() throws {
        try Data().write(to: file("SHA256SUMS"))
        let outcome = try install()
        #expect(outcome.status == 1 && !outcome.output.contains("apt-get"))
    }

    @Test("what is no version, and no release, installs nothing", arguments: ["", "../x", "1 2", "$(x)", "9.9.9"])
    func version(_ version: String) throws {
        let outcome = try install(version)
        #expect(outcome.status != 0 && !outcome.output.contains("apt-get"))
    }
}
