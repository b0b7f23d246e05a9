// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl credential`, and its units.
struct CredentialCommandTests {
    @Test("status shows what each unit gets, without a secret, and fails if something is missing")
    func status() throws {
        let scene = try ItemScene()
        _ = try scene.run("set", "github.com/ada", input: "s3cret")
        let table = scene.folder.path(of: "table")
        try "app.service token keychain://github.com/ada\n".write(toFile: table, atomically: false, encoding: .utf8)
        #expect(chmod(table, 0o600) == 0)
        let complete = try scene.run("credential", "status", "--table", table)
        #expect(complete.status == 0)
        #expect(complete.output == "app.service\ttoken\tkeychain://github.com/ada\tfound")
        try "a.service b keychain://none\na.service c keychain://github.com"
            .write(toFile: table, atomically: false, encoding: .utf8)
        _ = try scene.run("set", "github.com/bob", input: "s3cret")
        let missing = try scene.run("credential", "--table", table)
        #expect(missing.status == 1)
        #expect(
            missing.output
                == "a.service\tb\tkeychain://none\tnot found\na.service\tc\tkeychain://github.com\tseveral are meant"
        )
    }

    @Test("the table is in the folder of the user's settings, and a missing one is told with its path")
    func path() throws {
        var scene = try ItemScene()
        scene.control.environment["XDG_CONFIG_HOME"] = scene.folder.path
        let outcome = try scene.run("credential", "status")
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("\(scene.folder.path)/swift-keychain/credentials cannot be opened"))
    }

    @Test("without a socket of systemd's it does not serve, and says what starts it")
    func withoutSocket() throws {
        let folder = try TemporaryFolder()
        let (status, output) = try ControlProcess.run(["keychainctl", "credential", "serve"], folder)
        #expect(status == 1)
        #expect(output.contains("systemctl --user enable --now \(CredentialUnits.socketUnit)"))
    }

    @Test("a time of no or too many seconds is wrong usage", arguments: ["0", "-1", "86401", "x"])
    func time(_ seconds: String) throws {
        #expect(try ItemScene().run(["credential", "serve", "--exit-when-idle=\(seconds)"]).status == 2)
    }

    @Test("a package has units for a user and for the system, with the program that is beside the daemon")
    func units() throws {
        let folder = try TemporaryFolder()
        let scene = try ItemScene()
        let program = "/opt/50%/keychaind"
        let files = ["service", "unit-files", "--program", program, "--output"]
        #expect(try scene.run(files + [folder.path(of: "user")]).status == 0)
        #expect(try scene.run(files + [folder.path(of: "lib"), "--system"]).status == 0)
        for (place, socket) in [
            ("user", "%t/swift-keychain/credentials.sock"),
            ("lib/systemd/system", "/run/swift-keychain-credentials.sock"),
        ] {
            let path = folder.path(of: place)
            let service = try String(contentsOfFile: "\(path)/\(CredentialUnits.serviceUnit)", encoding: .utf8)
            #expect(service.contains("ExecStart=\"/opt/50%%/keychainctl\" credential serve --exit-when-idle 60\n"))
            #expect(service.contains("\nStartLimitIntervalSec=0\n") && service.contains("\nRestartSec=1\n"))
            let unit = try String(contentsOfFile: "\(path)/\(CredentialUnits.socketUnit)", encoding: .utf8)
            #expect(unit.contains("ListenStream=\(socket)\n") && unit.contains("SocketMode=0600\n"))
        }
    }
}
