// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// A session bus that starts keychaind for its first client, by the files that are installed.
@Suite(.timeLimit(.minutes(5)))
struct ActivationTests {
    private let folder: TemporaryFolder
    private let shell: Shell
    private let bus: PrivateBus

    init() throws {
        folder = try TemporaryFolder(prefix: "ka")
        let program = try DaemonFolder.program("keychaind")
        let services = folder.path(of: "services")
        try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: true)
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        for name in ["org.freedesktop.secrets", "org.freedesktop.impl.portal.desktop.swift_keychain"] {
            let template = "\(root)/Packaging/secret-service/\(name).service.in"
            let text = try String(contentsOfFile: template, encoding: .utf8)
                .replacing("@PROGRAM@", with: program)
                // No systemd is there to ask.
                .replacing("SystemdService=swift-keychain.service\n", with: "")
            try text.write(toFile: "\(services)/\(name).service", atomically: true, encoding: .utf8)
        }
        let tools = URL(fileURLWithPath: program).deletingLastPathComponent().path
        var environment = [
            "SWIFT_KEYCHAIN_HOME": folder.path(of: "keychain"), "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path,
            "SWIFT_KEYCHAIN_AUTHENTICATOR": "none", "SWIFT_KEYCHAIND": program, "PATH": "\(tools):/usr/bin:/bin",
        ]
        bus = try PrivateBus(starting: services, environment: environment)
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        shell = Shell(environment: environment)
    }

    /// Runs a script with the bus, and stops the daemon in the end.
    private func run(_ script: String) throws -> String {
        let outcome = try shell.run("/bin/sh", ["-c", script + "\nkeychainctl service disable >&2"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    @Test("the first program that asks for the Secret Service starts keychaind, which 'security' uses then, too")
    func first() throws {
        let output = try run(
            """
            printf s3cret | secret-tool store --label=a service S account A &&
            secret-tool lookup service S account A && security find-generic-password -s S -a A -w
            """
        )
        #expect(output == "s3crets3cret\n")
    }

    @Test("a daemon that programs have started before makes way for the one on the bus")
    func second() throws {
        let output = try run(
            """
            keychainctl service enable >&2 && security add-generic-password -s S -a A -w s3cret &&
            secret-tool lookup service S account A && security find-generic-password -s S -a A -w
            """
        )
        #expect(output == "s3crets3cret\n")
    }

    @Test("an unlocked daemon stays, so that nobody has to enter the passcode again")
    func unlocked() throws {
        let output = try run(
            """
            keychainctl service enable >&2 && security add-generic-password -s S -a A -w s3cret &&
            printf 1234 | keychainctl device set-passcode --passcode-stdin >&2
            keychaind --secret-service >&2 || echo refused
            security find-generic-password -s S -a A -w
            """
        )
        #expect(output == "refused\ns3cret\n")
    }
}
