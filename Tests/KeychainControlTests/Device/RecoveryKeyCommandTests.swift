// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainControl

/// `keychainctl recovery-key` and `device erase`, command by command.
struct RecoveryKeyCommandTests {
    /// What the command shows a person, or writes to a descriptor.
    private final class Screen: Sendable {
        let ends: (read: Int32, write: Int32)

        init() throws {
            var pair: [Int32] = [-1, -1]
            try #require(pipe(&pair) == 0 && fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0)
            ends = (pair[0], pair[1])
        }

        deinit {
            close(ends.read)
            close(ends.write)
        }

        /// What was written since the last look.
        func text() -> String {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(ends.read, &buffer, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
    }

    private let key = RecoveryKey.random()
    private let screen: Screen

    init() throws { screen = try Screen() }

    private var keyText: String { String(decoding: key.text.unprotectedCopy, as: UTF8.self) }

    /// A device, and a person at the terminal who types what is there, or something else.
    private func control(
        _ device: FakeDevice,
        typing typed: [String] = [],
        lastGroup: @escaping @Sendable (String) -> String? = { String($0.dropLast().suffix(4)) }
    ) -> Control {
        var control = Control(device: device)
        control.answers = typed.map { .typed($0) }
        (control.isTerminal, control.standardOutput) = (true, screen.ends.write)
        let shown = Shown()
        control.askLine = { [screen] _ in lastGroup(shown.latest(screen.text())).map { Array($0.utf8) } }
        return control
    }

    /// What was shown last, for a person who is asked about it again.
    private final class Shown: Sendable {
        private let last = Mutex("")

        /// A text that is shown now, or the last one if nothing is.
        func latest(_ text: String) -> String {
            last.withLock { last in
                if !text.isEmpty { last = text }
                return last
            }
        }
    }

    private func typedKey(_ text: String) throws -> RecoveryKey {
        try RecoveryKey(typed: SecretBytes(Array(text.utf8)))
    }

    @Test(
        "a key is made for a person who types its last group, with the passcode if one is set",
        arguments: [nil, "1234"]
    )
    func create(_ passcode: String?) throws {
        for form in [{ $0 }, { $0.lowercased() }, { " \($0) " }] as [@Sendable (String) -> String] {
            let device = FakeDevice(passcode: passcode)
            let typed = passcode.map { [$0] } ?? []
            let outcome = try control(device, typing: typed) { form(String($0.dropLast().suffix(4))) }
                .run(["recovery-key", "create"])
            #expect(outcome.status == 0 && outcome.output.contains("valid from now on"), "\(outcome)")
            #expect(device.recoveryKey != nil)
            #expect(outcome.remarks.contains("not shown again"))
            #expect(!outcome.output.contains("SKR1") && !outcome.remarks.contains("SKR1"))
        }
    }

    @Test("who does not type the last group gets no key", arguments: ["XXXX", "", "SKR1", nil])
    func notWrittenDown(_ answer: String?) throws {
        let device = FakeDevice(passcode: "1234")
        let outcome = try control(device, typing: ["1234"]) { _ in answer }.run(["recovery-key", "create"])
        #expect(outcome.status == 1 && outcome.error.contains("not valid"), "\(outcome)")
        #expect(device.recoveryKey == nil)
    }

    @Test("with a descriptor the key is a line there, and nobody is asked")
    func descriptor() throws {
        let device = FakeDevice(passcode: "1234")
        var control = Control(device: device)
        control.input = "1234\n"
        let words = ["recovery-key", "create", "--passcode-stdin", "--output-fd", "\(screen.ends.write)"]
        let outcome = try control.run(words)
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
        let line = screen.text()
        #expect(line.hasSuffix("\n") && line.count == RecoveryKey.textByteCount + 1)
        #expect(try typedKey(line) == device.recoveryKey)
    }

    @Test("without a terminal and a descriptor that can be written nothing is made, and no passcode is asked for")
    func nowhere() throws {
        let device = FakeDevice(passcode: "1234")
        let words = ["recovery-key", "create"]
        for (options, status) in [
            ([], 2), (["--output-fd", "x"], 2), (["--output-fd", "-1"], 2), (["--output-fd", "\(Int32.max)"], 1),
            (["--output-fd", "\(screen.ends.read)"], 1),
        ] as [([String], Int32)] {
            var control = Control(device: device)
            control.answers = [.typed("1234")]
            let outcome = try control.run(words + options)
            #expect(outcome.status == status && outcome.prompts.isEmpty, "\(outcome)")
        }
        #expect(device.recoveryKey == nil && device.attempts == 0)
    }

    @Test("a key that there is stays, unless another one is to take its place")
    func replace() throws {
        let device = FakeDevice()
        device.recoveryKey = key
        let refused = try control(device).run(["recovery-key", "create"])
        #expect(refused.status == 1 && refused.error.contains("--replace"), "\(refused)")
        #expect(device.recoveryKey == key)
        let replaced = try control(device).run(["recovery-key", "create", "--replace"])
        #expect(replaced.status == 0 && device.recoveryKey != nil && device.recoveryKey != key)
    }

    @Test("a key that was handed over and did not become valid is named as such")
    func notValid() throws {
        let device = RefusingDevice(error: KeychainError(.diskFull, "there is no room", kind: .storage(.full)))
        var control = Control(device: device)
        (control.isTerminal, control.standardOutput) = (true, screen.ends.write)
        let words = ["recovery-key", "create", "--output-fd", "\(screen.ends.write)"]
        let outcome = try control.run(words)
        #expect(outcome.status == 1 && outcome.error.contains("there is no room"), "\(outcome)")
        #expect(outcome.error.contains("handed over is not valid"), "\(outcome)")
    }

    @Test(
        "a key of which it is not known whether it became valid is named as such, with the way to find out",
        arguments: [KeychainError.Kind.storage(.doubtfulCommit), .service(.silentAfterCommand)]
    )
    func perhapsValid(_ kind: KeychainError.Kind) throws {
        let device = RefusingDevice(error: KeychainError(.io, "the last sync of the log failed", kind: kind))
        var control = Control(device: device)
        (control.isTerminal, control.standardOutput) = (true, screen.ends.write)
        let words = ["recovery-key", "create", "--output-fd", "\(screen.ends.write)"]
        let outcome = try control.run(words)
        #expect(outcome.status == 1 && outcome.error.contains("the last sync of the log failed"), "\(outcome)")
        #expect(outcome.error.contains("'keychainctl recovery-key check' says"), "\(outcome)")
        #expect(!outcome.error.contains("is not valid"), "\(outcome)")
    }

    @Test("a wrong passcode shows no key")
    func wrongPasscode() throws {
        let device = FakeDevice(passcode: "1234")
        let outcome = try control(device, typing: ["0000"]).run(["recovery-key", "create"])
        #expect(outcome.status == 1 && outcome.error.contains("the passcode is wrong"))
        #expect(screen.text().isEmpty && device.recoveryKey == nil)
    }

    @Test("a key is checked, whatever the form in which it is typed")
    func check() throws {
        let device = FakeDevice(passcode: "1234")
        device.recoveryKey = key
        for text in [keyText, keyText.lowercased(), keyText.replacing("-", with: " ")] {
            let outcome = try control(device, typing: [text]).run(["recovery-key", "check"])
            #expect(outcome.status == 0 && outcome.output.contains("opens this keychain"), "\(outcome)")
        }
        var piped = Control(device: device)
        piped.input = keyText + "\n"
        #expect(try piped.run(["recovery-key", "check", "--recovery-stdin"]).status == 0)
        let other = String(decoding: RecoveryKey.random().text.unprotectedCopy, as: UTF8.self)
        var mistyped = Array(keyText)
        mistyped[6] = mistyped[6] == "Q" ? "P" : "Q"
        for (text, says) in [
            (other, "does not open this keychain"), (String(mistyped), "mistyped"),
            (String(keyText.dropLast()), "fewer"),
            (keyText + "Q", "more"), ("hunter2 is no key", "a character that none has"),
        ] {
            let outcome = try control(device, typing: [text]).run(["recovery-key", "check"])
            #expect(outcome.status == 1 && outcome.error.contains(says), "\(outcome)")
            #expect(!outcome.error.contains(text))
        }
        #expect(device.recoveryKey == key && device.attempts == 0)
        let argument = try control(device).run(["recovery-key", "check", keyText])
        #expect(argument.status == 2 && !argument.error.contains(keyText))
    }

    @Test("a key sets another passcode, and another key takes its place")
    func use() throws {
        let device = FakeDevice(passcode: "1234")
        device.recoveryKey = key
        let outcome = try control(device, typing: [keyText, "5678"]).run(["recovery-key", "use"])
        #expect(outcome.status == 0 && outcome.output.contains("The passcode is set."), "\(outcome)")
        #expect(device.recoveryKey != nil && device.recoveryKey != key)
        #expect(throws: Never.self) { try device.device.unlock(passcode: SecretBytes(Array("5678".utf8))) }
        #expect(throws: KeychainError.self) { try device.device.unlock(passcode: SecretBytes(Array("1234".utf8))) }

        // From descriptors.
        let present = try #require(device.recoveryKey)
        var control = Control(device: device)
        control.input = String(decoding: present.text.unprotectedCopy, as: UTF8.self) + "\na new one\n"
        _ = screen.text()
        let words = [
            "recovery-key", "use", "--recovery-stdin", "--passcode-stdin", "--output-fd", "\(screen.ends.write)",
        ]
        #expect(try control.run(words).status == 0)
        #expect(try typedKey(screen.text()) == device.recoveryKey)
        #expect(throws: Never.self) { try device.device.unlock(passcode: SecretBytes(Array("a new one".utf8))) }
    }

    @Test("a wrong key asks for no new passcode, shows no new key, and changes nothing")
    func useWrong() throws {
        let device = FakeDevice(passcode: "1234")
        device.recoveryKey = key
        let other = String(decoding: RecoveryKey.random().text.unprotectedCopy, as: UTF8.self)
        let wrong = try control(device, typing: [other, "5678"]).run(["recovery-key", "use"])
        #expect(wrong.status == 1 && wrong.prompts.count == 1 && screen.text().isEmpty, "\(wrong)")
        let notKept = try control(device, typing: [keyText, "5678"]) { _ in "XXXX" }.run(["recovery-key", "use"])
        #expect(notKept.status == 1 && notKept.error.contains("nothing has changed"), "\(notKept)")
        let none = try control(device, typing: [keyText]).run(["recovery-key", "use", "--no-passcode"])
        #expect(none.status == 1 && none.error.contains("items would be lost"), "\(none)")
        let both = try control(device).run(["recovery-key", "use", "--no-passcode", "--passcode-stdin"])
        #expect(both.status == 2)
        #expect(device.recoveryKey == key && device.attempts == 0)
        #expect(throws: Never.self) { try device.device.unlock(passcode: SecretBytes(Array("1234".utf8))) }
    }

    @Test("an empty passcode is refused before a new key is shown, at a terminal and from a descriptor")
    func useWithEmptyPasscode() throws {
        let device = FakeDevice(passcode: "1234")
        device.recoveryKey = key
        let typed = try control(device, typing: [keyText, ""]).run(["recovery-key", "use"])
        #expect(typed.status == 1 && typed.error.contains("the passcode is empty"), "\(typed)")
        #expect(typed.remarks.isEmpty && screen.text().isEmpty)
        var piped = Control(device: device)
        piped.input = "\(keyText)\n\n"
        let words = ["--recovery-stdin", "--passcode-stdin", "--output-fd", "\(screen.ends.write)"]
        let outcome = try piped.run(["recovery-key", "use"] + words)
        #expect(outcome.status == 1 && outcome.error.contains("the passcode is empty"), "\(outcome)")
        #expect(screen.text().isEmpty && device.recoveryKey == key)
    }

    @Test("where no passcode was set none has to be", arguments: [[], ["--no-passcode"]])
    func useWithoutPasscode(_ options: [String]) throws {
        let device = FakeDevice()
        device.recoveryKey = key
        let outcome = try control(device, typing: [keyText, "5678"]).run(["recovery-key", "use"] + options)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try device.device.status().hasPasscode == options.isEmpty)
    }

    @Test("a key is removed with the passcode, and then there is none")
    func remove() throws {
        let device = FakeDevice(passcode: "1234")
        device.recoveryKey = key
        let wrong = try control(device, typing: ["0000"]).run(["recovery-key", "remove"])
        #expect(wrong.status == 1 && device.recoveryKey == key)
        #expect(try control(device, typing: ["1234"]).run(["recovery-key", "remove"]).status == 0)
        #expect(device.recoveryKey == nil)
        for command in ["remove", "check", "use"] {
            let outcome = try control(device, typing: ["1234"]).run(["recovery-key", command])
            #expect(outcome.status == 1 && outcome.error.contains("there is no recovery key"), "\(outcome)")
        }
    }

    @Test("the status says since when there is one, and is what the command does by itself")
    func status() throws {
        let device = FakeDevice()
        #expect(try Control(device: device).run(["recovery-key"]).output == "Recovery key:     none")
        device.recoveryKey = key
        let plain = try Control(device: device).run(["recovery-key", "status"])
        #expect(plain.output == "Recovery key:     made 2001-01-01T00:00:00Z")
        let json = try Control(device: device).run(["recovery-key", "status", "--json"])
        #expect(json.output == "{\n  \"created\" : \"2001-01-01T00:00:00Z\"\n}")
    }

    @Test(
        "one is offered when a passcode is set at a terminal, and made for who wants it",
        arguments: ["", "n", "yes"]
    )
    func offer(_ answer: String) throws {
        let device = FakeDevice()
        let outcome = try control(device, typing: ["1234"]) { shown in
            shown.isEmpty ? answer : String(shown.dropLast().suffix(4))
        }.run(["device", "set-passcode"])
        #expect(outcome.status == 0 && outcome.remarks.contains("Make a recovery key"), "\(outcome)")
        #expect((device.recoveryKey != nil) == (answer == "yes"))
    }

    @Test("nothing is offered where there is no terminal, and one that there is already is named")
    func noOffer() throws {
        let device = FakeDevice()
        var control = Control(device: device)
        control.input = "1234\n"
        let outcome = try control.run(["device", "set-passcode", "--passcode-stdin"])
        #expect(outcome.status == 0 && outcome.remarks.isEmpty, "\(outcome)")
        let other = FakeDevice()
        other.recoveryKey = key
        let named = try self.control(other, typing: ["1234"]).run(["device", "set-passcode"])
        #expect(named.remarks.contains("If it is not yours"), "\(named)")
        #expect(other.recoveryKey == key)
    }

    @Test("a change of the passcode names a recovery key that there is, and says nothing without one")
    func changeNames() throws {
        for hasKey in [true, false] {
            let device = FakeDevice(passcode: "1234")
            if hasKey { device.recoveryKey = key }
            let changed = try control(device, typing: ["1234", "5678"]).run(["device", "change-passcode"])
            #expect(changed.status == 0 && changed.remarks.contains("If it is not yours") == hasKey, "\(changed)")
        }
    }

    @Test("a passcode that is wrong, or may not be tried yet, comes with both ways out")
    func waysOut() throws {
        let wrong = try control(FakeDevice(passcode: "1234"), typing: ["0000"]).run(["device", "unlock"])
        let tooSoon = Refusal(KeychainError(DeviceError.attemptTooSoon(secondsUntilNextAttempt: 60))).description
        for text in [wrong.error, tooSoon] {
            #expect(
                text.contains("keychainctl recovery-key use") && text.contains("keychainctl device erase"),
                "\(text)"
            )
        }
    }

    @Test("an erasure says what is lost, and asks; without a terminal it takes --yes")
    func erase() throws {
        let words = ["device", "erase"]
        for (confirmation, options, status) in [
            (true, [], 0), (false, [], 1), (nil, [], 2), (nil, ["--yes"], 0),
        ] as [(Bool?, [String], Int32)] {
            let device = FakeDevice(passcode: "1234")
            device.recoveryKey = key
            var control = Control(device: device)
            control.confirmation = confirmation
            let outcome = try control.run(words + options)
            #expect(outcome.status == status && outcome.prompts.isEmpty, "\(outcome)")
            let said = outcome.remarks + outcome.error
            #expect(said.contains("3 items, the passcode and the recovery key"), "\(outcome)")
            #expect(said.contains("Keychain files are not touched"))
            #expect(device.isErased == (status == 0))
        }
    }

    @Test(
        "in the system service an erasure asks for the passcode that is set, and names the way of root",
        arguments: [("1234", true), ("0000", false), (nil, false)] as [(String?, Bool)]
    )
    func eraseInService(_ typed: String?, _ isErased: Bool) throws {
        let device = FakeDevice(passcode: "1234")
        var control = Control(device: device)
        control.isInSystemService = true
        control.answers = typed.map { [.typed($0)] } ?? []
        let outcome = try control.run(["device", "erase", "--yes"])
        #expect((outcome.status == 0) == isErased && device.isErased == isErased, "\(outcome)")
        let command = "/var/lib/swift-keychain/\(getuid()) keychainctl device erase"
        #expect(outcome.remarks.contains(command), "\(outcome)")
        #expect(outcome.prompts == (typed == nil ? [] : [.passcode]))
        #expect(outcome.remarks.contains("the first program that sets one is the owner") == isErased)
    }

    @Test("in the system service nobody is asked where no passcode is set, or where none can be checked")
    func eraseInServiceUnasked() throws {
        for (hasPasscode, hasRootKey, isErased) in [
            (false, true, true), (true, false, false), (nil, true, false),
        ] as [(Bool?, Bool, Bool)] {
            let erasures = Mutex(0)
            let keychain = BackupKeychain(device: { (command) throws(KeychainError) in
                switch command {
                case .summary:
                    return .deviceSummary(
                        DeviceSummary(exists: true, hasPasscode: hasPasscode, hasRootKey: hasRootKey)
                    )
                case .erase:
                    erasures.withLock { $0 += 1 }
                    return .done
                default: throw KeychainError(.notAvailable, "a test has no use for this")
                }
            })
            var control = Control(keychain)
            control.isInSystemService = true
            control.answers = [.typed("1234")]
            let outcome = try control.run(["device", "erase", "--yes"])
            #expect(outcome.status == (isErased ? 0 : 1) && outcome.prompts.isEmpty, "\(outcome)")
            #expect(erasures.withLock { $0 } == (isErased ? 1 : 0))
        }
    }
}
