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
        for name in ["bin", "x"] {
            try FileManager.default.createDirectory(atPath: folder.path(of: name), withIntermediateDirectories: true)
        }
        try program("wl-copy", "case $1 in --clear) : >\(clipboard) ;; *) /bin/cat >\(clipboard) ;; esac")
        try program("wl-paste", "[ ! -e \(picture) ] && /bin/cat \(clipboard)")
        try program(
            "xsel",
            "case $1 in --input) /bin/cat >\(clipboard) ;; --clear) : >\(clipboard) ;; *) /bin/cat \(clipboard) ;; esac"
        )
        // Like the real one, it fails where there is no text.
        try program(
            "xclip",
            "case $1 in -in) /bin/cat >\(clipboard) ;; *) [ ! -e \(picture) ] && /bin/cat \(clipboard) ;; esac",
            in: "x"
        )
    }

    private var clipboard: String { folder.path(of: "clipboard") }

    /// If there is this file, the clipboard has a picture.
    private var picture: String { folder.path(of: "picture") }

    private func program(_ name: String, _ body: String, in directory: String = "bin") throws {
        let path = folder.path(of: "\(directory)/\(name)")
        try Data("#!/bin/sh\n\(body)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }

    private func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path(of: name)))
    }

    /// A command line, with no other programs of clipboards than those of the test: `x` has xclip.
    private func line(_ words: String, _ variables: String) -> String {
        let path = [folder.path(of: "bin"), variables.contains("xclip") ? folder.path(of: "x") : ""]
        return "unset DISPLAY WAYLAND_DISPLAY TMUX; PATH=\(path.joined(separator: ":")):${PATH%%:*}; export PATH; "
            + "\(variables) keychainctl \(words)"
    }

    private func clip(
        _ words: String,
        _ variables: String = "WAYLAND_DISPLAY=x"
    ) throws -> (status: Int32, output: String) {
        let (status, output) = try ControlProcess.run(["/bin/sh", "-c", line("clip \(words)", variables)], folder)
        return (status, output)
    }

    private func waitForClipboard(_ contents: String) throws {
        let what = "the clipboard has '\(contents)'"
        #expect(try eventually(what) { try String(contentsOfFile: clipboard, encoding: .utf8) == contents })
    }

    @Test(
        "a password is copied, and gone after the time",
        arguments: ["WAYLAND_DISPLAY=x", "DISPLAY=:9", "DISPLAY=xclip"]
    )
    func clears(_ variables: String) throws {
        let outcome = try clip("svc/ada --clear-after 1", variables)
        #expect(outcome == (0, "Copied password of svc/ada, for 1 second.\n"))
        try waitForClipboard("")
    }

    /// Clears a clipboard of `mine`, if it has the given text, and returns what it has then.
    private func clear(_ text: String, of clipboard: String, _ variables: String) throws -> String {
        try write("mine".utf8, to: "clipboard")
        try write(ClipboardDigest(of: SecretBytes(Array(text.utf8))).bytes.unprotectedCopy, to: "digest")
        let words = "clear-clipboard \(clipboard) --after 0 <\(folder.path(of: "digest"))"
        #expect(try ControlProcess.run(["/bin/sh", "-c", line(words, variables)], folder) == (0, "\n"))
        return try String(contentsOfFile: self.clipboard, encoding: .utf8)
    }

    @Test(
        "what was copied later is not cleared, and a picture neither",
        arguments: [("wayland", ""), ("xsel", ""), ("xclip", "DISPLAY=xclip")]
    )
    func changed(_ clipboard: String, _ variables: String) throws {
        #expect(try clear("other", of: clipboard, variables) == "mine")
        #expect(try clear("mine", of: clipboard, variables).isEmpty)
        guard clipboard != "xsel" else { return }
        try write([], to: "picture")
        #expect(try clear("mine", of: clipboard, variables) == "mine")
    }

    @Test("the last copy says when it is cleared, also if it is of the same password")
    func copiedAgain() throws {
        try write("s3cret".utf8, to: "clipboard")
        try write(ClipboardDigest(of: SecretBytes(Array("s3cret".utf8))).bytes.unprotectedCopy, to: "digest")
        let words = "clear-clipboard wayland --after 2 <\(folder.path(of: "digest"))"
        let first = try ControlProcess(["/bin/sh", "-c", line(words, "WAYLAND_DISPLAY=x")], folder)
        #expect(try first.line().isEmpty)
        #expect(try clip("svc/ada --clear-after 0").status == 0)
        #expect(try first.wait() == 0)
        #expect(try String(contentsOfFile: clipboard, encoding: .utf8) == "s3cret")
    }

    @Test("the clipboard is cleared early by the end of the session", arguments: [SIGTERM, SIGHUP])
    func endOfSession(_ signal: Int32) throws {
        try write("s3cret".utf8, to: "clipboard")
        try write(ClipboardDigest(of: SecretBytes(Array("s3cret".utf8))).bytes.unprotectedCopy, to: "digest")
        let words = "clear-clipboard wayland --after 3600 <\(folder.path(of: "digest"))"
        let line = line(words, "WAYLAND_DISPLAY=x").replacing("keychainctl", with: "exec keychainctl")
        let process = try ControlProcess(["/bin/sh", "-c", line], folder)
        #expect(try process.line().isEmpty)
        process.send(signal)
        #expect(try process.wait() == 0)
        #expect(try String(contentsOfFile: clipboard, encoding: .utf8).isEmpty)
    }

    @Test("a reader of its output and errors sees their end at once, though programs go on in the background")
    func background() throws {
        let note = folder.path(of: "pid")
        try program("wl-copy", "/bin/cat >\(clipboard); /bin/sleep 3600 & echo $! >\(note)")
        let line = line("clip svc/ada --clear-after 0 2>&1 | /bin/cat", "WAYLAND_DISPLAY=x")
        let outcome = try ControlProcess.run(["/bin/sh", "-c", line], folder)
        #expect(outcome == (0, "Copied password of svc/ada.\n"))
        let sleeper = try #require(pid_t(String(contentsOfFile: note, encoding: .utf8).dropLast()))
        #expect(kill(sleeper, SIGKILL) == 0)
    }

    @Test("the program that clears has no descriptor and no folder of its caller")
    func keepsNothing() throws {
        let line = line("clip svc/ada --clear-after 3601 9</dev/null", "WAYLAND_DISPLAY=x")
        #expect(try ControlProcess.run(["/bin/sh", "-c", "cd \(folder.path(of: "bin")); \(line)"], folder).0 == 0)
        let found = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(pid_t.init).first {
            process in
            let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            return words.split(separator: 0).dropFirst().elementsEqual(
                ["clear-clipboard", "wayland", "--after", "3601"].map { Data($0.utf8) }
            )
        }
        let process = try #require(found)
        defer { kill(process, SIGKILL) }
        // Only root sees what a program that cannot be dumped has open.
        guard let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd") else { return }
        #expect(!open.contains("9"), "\(open)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd") == "/")
    }

    @Test("no program gets a secret in an argument")
    func arguments() throws {
        let note = folder.path(of: "words")
        try program("wl-copy", "echo \"$@\" >>\(note); /bin/cat >/dev/null")
        #expect(try clip("svc/ada --clear-after 0").status == 0)
        #expect(try String(contentsOfFile: note, encoding: .utf8) == "--type text/plain;charset=utf-8\n")
    }

    @Test("the exit status says what is missing")
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
        #expect(choice(["TMUX": "/tmp/tmux"], ["tmux"], terminal: "/dev/pts/1") == .tmux)
        #expect(choice(["TMUX": "/tmp/tmux"], [], terminal: "/dev/pts/1") == .terminal("/dev/pts/1"))
        #expect(choice(["DISPLAY": ":0", "TMUX": "/tmp/tmux"], ["tmux", "xsel"]) == .xsel)
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
        // It cannot be asked what it has.
        try Data().write(to: URL(fileURLWithPath: path))
        try clipboard.clear(ClipboardDigest(of: SecretBytes(Array("other".utf8))))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "\u{1B}]52;c;!\u{07}")
    }

    @Test("in tmux each buffer with the password is deleted, and no other")
    func tmux() throws {
        let buffers = folder.path(of: "buffers")
        try FileManager.default.createDirectory(atPath: buffers, withIntermediateDirectories: true)
        // As tmux does: the newest buffer is the first, and what is passed on to the terminal is in its clipboard.
        try program(
            "tmux",
            """
            cd \(buffers)
            case "$1 $2" in
            "load-buffer -w") /bin/cat >buffer9; /bin/cp buffer9 \(clipboard) ;;
            "list-buffers -F") /bin/ls -r ;;
            "save-buffer -b") /bin/cat "$3" ;;
            "delete-buffer -b") /bin/rm "$3" ;;
            "set-buffer -w") printf %s "$5" >"$4"; /bin/cp "$4" \(clipboard) ;;
            *) exit 1 ;;
            esac
            """
        )
        try write("s3cret".utf8, to: "buffers/buffer1")
        try write("other".utf8, to: "buffers/buffer2")
        #expect(try clip("svc/ada --clear-after 0", "TMUX=x").status == 0)
        #expect(try String(contentsOfFile: clipboard, encoding: .utf8) == "s3cret")
        try write(ClipboardDigest(of: SecretBytes(Array("s3cret".utf8))).bytes.unprotectedCopy, to: "digest")
        let words = "clear-clipboard tmux --after 0 <\(folder.path(of: "digest"))"
        #expect(try ControlProcess.run(["/bin/sh", "-c", line(words, "TMUX=x")], folder) == (0, "\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: buffers) == ["buffer2"])
        #expect(try String(contentsOfFile: clipboard, encoding: .utf8) == " ")
    }

    @Test(
        "a real tmux has the password in a buffer, and then no more",
        .enabled(if: access("/usr/bin/tmux", X_OK) == 0)
    )
    func realTmux() throws {
        let note = folder.path(of: "note")
        let digest = folder.path(of: "digest")
        try write(ClipboardDigest(of: SecretBytes(Array("s3cret".utf8))).bytes.unprotectedCopy, to: "digest")
        let steps = """
            printf other | tmux load-buffer -
            keychainctl clip svc/ada --clear-after 0
            tmux save-buffer - >\(note); echo >>\(note)
            keychainctl clear-clipboard tmux --after 0 <\(digest)
            tmux list-buffers -F '#{buffer_sample}' >>\(note)
            """
        try write(steps.utf8, to: "steps")
        let line = """
            unset DISPLAY WAYLAND_DISPLAY; export TMUX_TMPDIR=\(folder.path) TERM=xterm
            tmux -f /dev/null new-session -d -x 80 -y 24 "sh \(folder.path(of: "steps")); tmux wait-for -S done; cat"
            tmux wait-for done; tmux kill-server
            """
        #expect(try ControlProcess.run(["/bin/sh", "-c", line], folder).0 == 0)
        #expect(try String(contentsOfFile: note, encoding: .utf8) == "s3cret\nother\n")
    }
}
