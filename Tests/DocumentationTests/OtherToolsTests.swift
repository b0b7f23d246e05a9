// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The page for people who come from other tools: each line of its right column works.
@Suite(.timeLimit(.minutes(10)))
final class OtherToolsTests {
    private static let page = "Documentation/OtherTools.md"

    /// The commands of the last column of each table.
    private static func commands() throws -> [String] {
        try Repository.lines(of: page).filter { $0.hasPrefix("| ") && !$0.hasPrefix("| --") }
            .flatMap { line in
                (line.components(separatedBy: " | ").last ?? "").matches(of: /`(keychainctl[^`]*)`/).map {
                    String($0.1)
                }
            }
    }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "other-tools-\(UUID().uuidString)")
        for (name, text) in Self.programs {
            let file = folder.appending(path: "bin/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try "#!/bin/sh\n\(text)\n".write(to: file, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
        }
        for (name, secret) in Self.items {
            try #require(try run("keychainctl set \(name)", in: "open", input: secret).status == 0)
        }
        for command in Self.further {
            let outcome = try run(command, in: "open", input: "more\n")
            try #require(outcome.status == 0, "\(command): \(outcome.output)")
        }
        try FileManager.default.copyItem(at: folder.appending(path: "open"), to: folder.appending(path: "locked"))
        let passcode = try run("keychainctl device set-passcode --passcode-stdin", in: "locked", input: "1234\n")
        try #require(passcode.status == 0, "\(passcode.output)")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Programs of somebody else's, as far as the page needs them.
    private static let programs = [
        "make": "exec env", "editor": "echo changed > \"$1\"", "wl-copy": "exec cat > /dev/null", "wl-paste": "exit 1",
    ]

    private static let items = [
        "web/ada": "s3cret", "web/otp": "otpauth://totp/web?secret=GEZDGNBVGY3TQOJQ", "web/key": "key",
        "--class internet bank.example/ada": "s3cret",
    ]

    /// What some of them have.
    private static let further = [
        "keychainctl note web/key --set", "keychainctl attach web/key key.pem --name old.pdf",
        "keychainctl expire web/otp 1d",
    ]

    private static let files = [
        "codes.pdf": "codes", "app.env": "APP_TOKEN=s3cret\n",
        "key.pem": "key", ".env": "TOKEN=keychain://web/ada\n", "app.conf.in": "password = {{ keychain://web/ada }}\n",
        "passwords.csv": "name,url,username,password\nShop,https://shop.example/login,ada,pw1\n",
    ]

    /// Runs a command in a folder with a keychain of its own.
    private func run(_ command: String, in name: String, input: String) throws -> (status: Int32, output: String) {
        let place = folder.appending(path: name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (file, text) in Self.files {
            try text.write(to: place.appending(path: file), atomically: false, encoding: .utf8)
        }
        let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        // In a session of its own nobody can be asked at a terminal.
        process.arguments = ["--kill-after=10", "120", "setsid", "--wait", "sh", "-c", command]
        process.environment = [
            "PATH": "\(folder.path)/bin:\(programs.path):/usr/bin:/bin", "HOME": place.path,
            "SWIFT_KEYCHAIN_HOME": "\(place.path)/keychain", "XDG_RUNTIME_DIR": place.path,
            "SWIFT_KEYCHAIN_AUTHENTICATOR": "none", "EDITOR": "editor", "WAYLAND_DISPLAY": "wayland-0",
        ]
        process.currentDirectoryURL = place
        // Files: a pipe would have to be read while it is written.
        let (given, written) = (place.appending(path: "input"), place.appending(path: "output"))
        try input.write(to: given, atomically: false, encoding: .utf8)
        try "".write(to: written, atomically: false, encoding: .utf8)
        process.standardInput = try FileHandle(forReadingFrom: given)
        process.standardOutput = try FileHandle(forWritingTo: written)
        process.standardError = process.standardOutput
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: written, encoding: .utf8))
    }

    @Test("each command of the right column does what it says, on a keychain with some passwords")
    func commands() throws {
        let commands = try Self.commands()
        #expect(commands.count > 85)
        for (number, command) in commands.enumerated() {
            let needsPasscode = command.hasPrefix("keychainctl device") && !command.contains("set-passcode")
            let place = "command-\(number)"
            let store = folder.appending(path: needsPasscode ? "locked" : "open")
            try FileManager.default.copyItem(at: store, to: folder.appending(path: place))
            let isAskedForPasscode = needsPasscode || command.contains("-stdin")
            // Nothing that would wait for its time is left in the background.
            let line = command.hasPrefix("keychainctl clip") ? "\(command) --clear-after 0" : command
            let outcome = try run(line, in: place, input: isAskedForPasscode ? "1234\n" : "n3w\n")
            #expect(outcome.status == 0, "\(command): \(outcome.output)")
            try FileManager.default.removeItem(at: folder.appending(path: place))
        }
    }

    @Test("the page has the tools that people come from, and each table has a line that reads and one that stores")
    func tools() throws {
        let text = try Repository.lines(of: Self.page)
        let sections = text.filter { $0.hasPrefix("## ") }
        #expect(sections.count == 5)
        let left = text.filter { $0.hasPrefix("| `") }.map { $0.components(separatedBy: " | ")[0] }.joined()
        for word in [
            "pass insert", "pass show", "gopass show", "op read", "op run", "op inject", "bw get password",
            "bw create item", "secret-tool lookup", "secret-tool store", "security find-generic-password",
            "security add-generic-password",
        ] {
            #expect(left.contains("`\(word)"), "\(word)")
        }
    }
}
