// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl clip`, with scripts in the place of the programs of a graphical session.
@Suite(.timeLimit(.minutes(30)))
struct ClipCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        #expect(try ControlProcess.run(["keychainctl", "set", "svc/ada"], folder, input: "s3cret").0 == 0)
        try FileManager.default.createDirectory(atPath: folder.path(of: "bin"), withIntermediateDirectories: true)
        try program("wl-copy", "case $1 in --clear) : >\(clipboard) ;; *) cat >\(clipboard) ;; esac")
        try program("wl-paste", "cat \(clipboard)")
        try program(
            "xsel",
            "case $1 in --input) cat >\(clipboard) ;; --clear) : >\(clipboard) ;; *) cat \(clipboard) ;; esac"
        )
    }

    private var clipboard: String { folder.path(of: "clipboard") }

    private func program(_ name: String, _ body: String) throws {
        let path = folder.path(of: "bin/\(name)")
        try Data("#!/bin/sh\n\(body)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }

    private func clip(
        _ words: String,
        _ variables: String = "WAYLAND_DISPLAY=x"
    ) throws -> (status: Int32, output: String) {
        let line =
            "unset DISPLAY WAYLAND_DISPLAY; PATH=\(folder.path(of: "bin")):$PATH; export PATH; \(variables) keychainctl clip \(words)"
        let (status, output) = try ControlProcess.run(["sh", "-c", line], folder)
        return (status, output)
    }

    private func waitForClipboard(_ contents: String) throws {
        for _ in 0..<6_000 {
            if try String(contentsOfFile: clipboard, encoding: .utf8) == contents { return }
            usleep(10_000)
        }
        Issue.record("the clipboard is not '\(contents)'")
    }

    @Test("a password is copied, and gone after the time", arguments: ["WAYLAND_DISPLAY=x", "DISPLAY=:9"])
    func clears(_ variables: String) throws {
        let outcome = try clip("svc/ada --clear-after 1", variables)
        #expect(outcome == (0, "Copied password of svc/ada, for 1 second.\n"))
        try waitForClipboard("")
    }

    @Test("what was copied later is not cleared")
    func changed() throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: clipboard))
        let digest = folder.path(of: "digest")
        for (text, left) in [("other", "mine"), ("mine", "")] {
            try Data(ClipboardDigest.of(Array(text.utf8)).unprotectedCopy).write(to: URL(fileURLWithPath: digest))
            let line = "PATH=\(folder.path(of: "bin")):$PATH keychainctl clear-clipboard wayland --after 0 <\(digest)"
            #expect(try ControlProcess.run(["sh", "-c", line], folder) == (0, ""))
            #expect(try String(contentsOfFile: clipboard, encoding: .utf8) == left)
        }
    }

    @Test("it never has a secret in an argument, and the exit status says what is missing")
    func failures() throws {
        #expect(try clip("nosuch").status == 3)
        unlink(folder.path(of: "bin/wl-copy"))
        let missing = try clip("svc/ada")
        #expect(missing.status == 1 && missing.output.contains("wl-copy is not installed"), "\(missing)")
        try program("wl-copy", "exit 3")
        #expect(try clip("svc/ada").output.contains("wl-copy failed with status 3"))
        #expect(try clip("svc/ada --clear-after x").status == 2)
    }

    @Test("the clipboard is that of the session, else of the terminal, else there is none")
    func choice() throws {
        func choice(_ variables: [String: String], _ programs: [String], terminal: String? = nil) -> Clipboard? {
            try? Clipboard(environment: { variables[$0] }, isInstalled: programs.contains, terminal: terminal)
        }
        #expect(choice(["WAYLAND_DISPLAY": "w", "DISPLAY": ":0"], ["wl-copy", "xclip"]) == .wayland)
        #expect(choice(["DISPLAY": ":0"], ["xclip", "xsel"]) == .xclip)
        #expect(choice(["DISPLAY": ":0"], ["xsel"], terminal: "/dev/pts/1") == .xsel)
        #expect(choice(["DISPLAY": ":0"], [], terminal: "/dev/pts/1") == nil)
        #expect(choice(["SSH_TTY": "/dev/pts/1"], ["xclip"], terminal: "/dev/pts/1") == .terminal("/dev/pts/1"))
        #expect(choice([:], ["xclip"]) == nil)
    }

    @Test("a terminal gets the secret in base 64 by OSC 52, and is cleared so")
    func terminal() throws {
        let path = folder.path(of: "terminal")
        try Data().write(to: URL(fileURLWithPath: path))
        let clipboard = Clipboard.terminal(path)
        try clipboard.put(SecretBytes(Array("s3cret".utf8)))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "\u{1B}]52;c;czNjcmV0\u{07}")
        #expect(throws: Refusal.self) { try clipboard.put(SecretBytes(Array(repeating: 0x61, count: 100_000))) }
        #expect(clipboard.contents() == nil)
    }
}
