// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Testing

/// Questions to real child processes that speak pinentry's protocol, or do not.
struct PinentryTests {
    @Test("what a dialog is told, and what was typed in it")
    func dialog() throws {
        let pinentry = try FakePinentry(pin: "echo 'D hunter2'; echo OK")
        let authenticator = pinentry.authenticator(["LANG": "de_DE.UTF-8", "TERM": "xterm"])
        #expect(authenticator.canAskForSecrets && authenticator.biometry == .none)
        let prompt = AuthenticationPrompt(
            .passcode,
            reason: "100 %\nsure\u{1B}",
            cancelTitle: "No_way",
            problem: "The passcode is wrong."
        )
        #expect(authenticator.ask(prompt) == .text("hunter2"))
        let requests = try pinentry.requests().filter { !$0.hasPrefix("OPTION tty") }
        #expect(
            requests == [
                "OPTION lc-ctype=de_DE.UTF-8", "OPTION lc-messages=de_DE.UTF-8", "SETTITLE Keychain",
                "SETDESC 100 %25\u{FFFD}sure\u{FFFD}", "SETPROMPT Passcode:", "SETOK OK", "SETCANCEL No__way",
                "SETERROR The passcode is wrong.", "SETTIMEOUT 119", "GETPIN",
            ]
        )
    }

    @Test(
        "answers",
        arguments: [
            ("echo OK", .text("")),
            ("echo 'D a%25b%0Ac%0d'; echo OK", .text("a%b\nc\r")),
            ("echo 'D one '; echo '# comment'; echo 'S STATUS x'; echo; echo 'D two'; echo OK", .text("one two")),
            ("echo 'D \u{E4}\u{1F511}'; echo 'OK done'", .text("\u{E4}\u{1F511}")),
            ("printf 'D x\\r\\nOK\\r\\n'", .text("x")),
            ("printf 'D \\377\\000\\nOK\\n'", .secret(SecretBytes([0xFF, 0]))),
            ("echo 'ERR 83886179 Operation cancelled <Pinentry>'", .cancelled),
            ("echo 'ERR 83886194 Not confirmed'", .cancelled),
            ("echo 'ERR 83886278 Fully cancelled'", .cancelled),
            ("echo 'ERR 83886142 Timeout <Pinentry>'", .ended),
            ("echo 'ERR 83886340 No pinentry'", .unavailable),
            ("echo 'D partly'; echo 'ERR 83886179'", .cancelled),
        ] as [(String, AuthenticationReply)]
    )
    func answers(script: String, reply: AuthenticationReply) throws {
        #expect(try FakePinentry(pin: script).ask() == reply)
    }

    @Test("a secret of several lines of the protocol, and of 200,000 bytes")
    func longSecret() throws {
        let part = String(repeating: "0123456789", count: 99)
        let pinentry = try FakePinentry(
            pin: "i=0; while [ $i -lt 203 ]; do echo 'D \(part)'; i=$((i+1)); done; echo OK"
        )
        #expect(pinentry.ask() == .text(String(repeating: part, count: 203)))
    }

    @Test(
        "what does not keep to the protocol is no way to ask, and is gone afterwards",
        arguments: [
            "exit 0", "kill -9 $$", "echo nonsense; exec sleep 600", "echo 'D %2'; exec sleep 600",
            "echo 'D %zz'; exec sleep 600", "echo 'ERR'; exec sleep 600", "echo 'INQUIRE X'; exec sleep 600",
            "echo 'ERR 99999999999'; exec sleep 600", "exec >&- <&-; exec sleep 600",
            "head -c 2000 /dev/zero; exec sleep 600", "exec yes '# noise'",
            "exec yes 'S NOISE'", "exec yes 'D noise'",
        ]
    )
    func malformed(script: String) throws {
        let pinentry = try FakePinentry(pin: "echo $$ >\"${0%/*}/pid\"; \(script)")
        #expect(pinentry.ask() == .unavailable)
        #expect(try !pinentry.isRunning())
    }

    @Test(
        "so is what does not say hello",
        arguments: ["exit 1\n", "echo 'ERR 1 no'\nexec sleep 600\n", "echo hello\n"]
    )
    func noGreeting(script: String) throws { #expect(try FakePinentry(script).ask() == .unavailable) }

    @Test("a program that is not there, or is none, is no way to ask")
    func noProgram() throws {
        let folder = try TemporaryFolder()
        let authenticator = PinentryAuthenticator(path: folder.path(of: "pinentry"))
        #expect(!authenticator.canAskForSecrets)
        #expect(authenticator.ask(AuthenticationPrompt(.passcode, reason: "")) == .unavailable)
        let pinentry = try FakePinentry(pin: "echo OK")
        #expect(pinentry.ask(.biometry) == .unavailable)
    }

    @Test("settings that a pinentry does not know are done without")
    func oldPinentry() throws {
        let pinentry = try FakePinentry(
            onEachLine: "case $line in GETPIN) echo 'D x'; echo OK;; *) echo 'ERR 536871187 Unknown command';; esac"
        )
        #expect(pinentry.ask() == .text("x"))
    }

    @Test(
        "time that is over ends a question, and the child",
        arguments: ["exec sleep 600", "trap '' TERM; exec sleep 600"]
    )
    func deadline(script: String) throws {
        let pinentry = try FakePinentry("echo $$ >\"${0%/*}/pid\"\n\(script)\n")
        // It has to have begun, or there is nothing to look for afterwards.
        let prompt = AuthenticationPrompt(.passcode, reason: "")
        let asking = Asking(pinentry.authenticator(), prompt)
        let limit = Date(timeIntervalSinceNow: 600)
        while (try? pinentry.contents("pid").hasSuffix("\n")) != true {
            try #require(Date() < limit)
            sched_yield()
        }
        prompt.cancellation.cancel()
        #expect(try asking.reply() == .ended)
        #expect(try !pinentry.isRunning())
        #expect(pinentry.ask(timeoutSeconds: 0.05) == .ended)
    }

    @Test("a prompt that was already cancelled is not shown")
    func cancelledBefore() throws {
        let pinentry = try FakePinentry(pin: "echo 'D x'; echo OK")
        let prompt = AuthenticationPrompt(.passcode, reason: "")
        prompt.cancellation.cancel()
        #expect(pinentry.authenticator().ask(prompt) == .ended)
    }

    @Test("of the environment a child sees what a dialog needs, and of open files none")
    func environment() throws {
        let pinentry = try FakePinentry(
            "env >\"${0%/*}/env\"; ls -l /proc/$$/fd >\"${0%/*}/files\"; echo $# >\"${0%/*}/arguments\"\n"
        )
        let folder = try TemporaryFolder(prefix: "left-open")
        let left = open(folder.path, O_RDONLY)
        defer { close(left) }
        #expect(left >= 0 && fcntl(left, F_SETFD, 0) == 0)
        let variables = ["DISPLAY": ":7", "HOME": "/home/anna", "SECRET": "x", "LD_PRELOAD": "y", "PATH": "/tmp"]
        let prompt = AuthenticationPrompt(.passcode, reason: "")
        #expect(pinentry.authenticator(variables).ask(prompt) == .unavailable)
        let seen = try pinentry.contents("env").split(separator: "\n").map(String.init)
        #expect(seen.contains("DISPLAY=:7") && seen.contains("HOME=/home/anna"))
        #expect(seen.contains("PATH=/usr/local/bin:/usr/bin:/bin"))
        #expect(!seen.contains { $0.hasPrefix("SECRET=") || $0.hasPrefix("LD_PRELOAD=") })
        #expect(try pinentry.contents("arguments") == "0\n")
        #expect(try pinentry.contents("files").contains("socket:"))
        #expect(try !pinentry.contents("files").contains("left-open"))
    }

    /// A new password, by a pinentry that has a second field and by one that has none.
    @Test("a new password is typed twice")
    func twice() throws {
        let repeating = try FakePinentry(pin: "echo 'S PIN_REPEATED'; echo 'D one'; echo OK")
        #expect(repeating.ask(.newApplicationPassword) == .text("one"))
        #expect(try repeating.requests().filter { $0 == "GETPIN" }.count == 1)
        #expect(try repeating.requests().contains("SETREPEAT Repeat:"))
        let plain = try FakePinentry(
            pin: "i=$((i+1)); case $i in 1) echo 'D one';; 2) echo 'D two';; *) echo 'D three';; esac; echo OK"
        )
        #expect(plain.ask(.newApplicationPassword) == .text("three"))
        let requests = try plain.requests()
        #expect(requests.filter { $0 == "GETPIN" }.count == 4)
        #expect(requests.filter { $0.hasPrefix("SETERROR") } == ["SETERROR They do not match."])
        #expect(
            requests.filter { $0.hasPrefix("SETPROMPT") } == Array(
                [["SETPROMPT New application password:", "SETPROMPT Repeat:"]].joined()
            ) + ["SETPROMPT New application password:", "SETPROMPT Repeat:"]
        )
    }

    @Test("several questions at a time are several dialogs")
    func parallel() throws {
        let pinentry = try FakePinentry(pin: "echo \"D $$\"; echo OK")
        let asking = (0..<4).map { _ in Asking(pinentry.authenticator(), AuthenticationPrompt(.passcode, reason: "")) }
        let replies = try asking.map { try $0.reply() }
        #expect(replies.allSatisfy { if case .secret = $0 { true } else { false } })
    }
}
