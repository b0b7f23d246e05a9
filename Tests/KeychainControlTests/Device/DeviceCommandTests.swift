// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl device`, command by command.
struct DeviceCommandTests {
    /// A command, who answers it, and what comes of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let command: [String]
        var passcode: String? = "1234"
        var typed: [String] = []
        var input = ""
        var confirmation: Bool?
        let status: Int32
        var says = ""
        var passcodeAfter: String? = "1234"

        var testDescription: String {
            "\(command.joined(separator: " ")) [\(typed.joined(separator: ","))\(input.debugDescription)] → \(status)"
        }
    }

    static let rows = [
        Row(command: ["lock"], status: 0, says: "Locked."),
        Row(command: ["lock"], passcode: nil, status: 1, says: "no passcode is set", passcodeAfter: nil),
        Row(command: ["unlock"], typed: ["1234"], status: 1, says: "keychainctl device unlock -- COMMAND"),
        Row(command: ["unlock"], typed: ["0000"], status: 1, says: "the passcode is wrong, 1 wrong one in a row"),
        Row(command: ["unlock"], passcode: nil, status: 0, says: "always unlocked", passcodeAfter: nil),
        Row(command: ["unlock", "--passcode-stdin"], input: "1234\n", status: 1, says: "The passcode is right."),
        Row(command: ["unlock", "--passcode-stdin"], input: "1234", status: 1, says: "The passcode is right."),
        Row(command: ["unlock", "--passcode-stdin"], input: "1234\r\n", status: 1, says: "the passcode is wrong"),
        Row(command: ["unlock", "--passcode-stdin"], input: "", status: 1, says: "the input ended"),
        Row(command: ["unlock"], status: 1, says: "--passcode-fd or --passcode-stdin"),
        Row(command: ["set-passcode"], passcode: nil, typed: ["new"], status: 0, says: "is set", passcodeAfter: "new"),
        Row(command: ["set-passcode"], typed: ["new"], status: 1, says: "a passcode is set already"),
        Row(
            command: ["set-passcode", "--passcode-stdin"],
            passcode: nil,
            input: "a b\u{0}ä\n",
            status: 0,
            says: "The passcode is set.",
            passcodeAfter: "a b\u{0}ä"
        ),
        Row(
            command: ["change-passcode"],
            typed: ["1234", "new"],
            status: 0,
            says: "The passcode is changed.",
            passcodeAfter: "new"
        ),
        Row(command: ["change-passcode"], typed: ["0000", "new"], status: 1, says: "the passcode is wrong"),
        Row(command: ["change-passcode"], passcode: nil, status: 1, says: "no passcode is set", passcodeAfter: nil),
        Row(
            command: ["change-passcode", "--passcode-stdin"],
            input: "1234\nnew\n",
            status: 0,
            says: "is changed",
            passcodeAfter: "new"
        ),
        Row(
            command: ["change-passcode", "--passcode-stdin"],
            input: "1234\n",
            status: 1,
            says: "the input ended where the new passcode should be"
        ),
        Row(
            command: ["remove-passcode"],
            typed: ["1234"],
            confirmation: true,
            status: 0,
            says: "The passcode is removed.",
            passcodeAfter: nil
        ),
        Row(
            command: ["remove-passcode"],
            typed: ["1234"],
            confirmation: false,
            status: 1,
            says: "cancelled"
        ),
        Row(command: ["remove-passcode"], typed: ["1234"], status: 2, says: "--yes"),
        Row(
            command: ["remove-passcode", "--yes"],
            typed: ["1234"],
            status: 0,
            says: "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly",
            passcodeAfter: nil
        ),
        Row(command: ["remove-passcode", "--yes"], typed: ["0000"], status: 1, says: "the passcode is wrong"),
        Row(command: ["remove-passcode", "--yes"], passcode: nil, status: 1, says: "no passcode", passcodeAfter: nil),
        Row(command: ["set-policy", "--auto-lock", "60"], typed: ["1234"], status: 0, says: "The policy is set."),
        Row(command: ["set-policy", "--auto-lock", "60"], typed: ["0000"], status: 1, says: "the passcode is wrong"),
        Row(command: ["set-policy"], typed: ["1234"], status: 2, says: "--auto-lock, --erase-after, or both"),
        Row(command: ["set-policy", "--auto-lock", "0"], typed: ["1234"], status: 2, says: "--auto-lock"),
        Row(command: ["set-policy", "--erase-after", "soon"], typed: ["1234"], status: 2, says: "--erase-after"),
        Row(command: ["lock", "now"], status: 2, says: "now"),
        Row(command: ["nonsense"], status: 2, says: "nonsense"),
    ]

    @Test("a command does what its row says, and nothing of what was typed is repeated", arguments: rows)
    func command(_ row: Row) throws {
        let device = FakeDevice(passcode: row.passcode)
        var control = Control(device: device)
        control.answers = row.typed.map { .typed($0) }
        control.input = row.input
        control.confirmation = row.confirmation
        let outcome = try control.run(["device"] + row.command)
        #expect(outcome.status == row.status, "\(outcome)")
        let texts = outcome.output + outcome.remarks + outcome.error
        #expect(texts.contains(row.says), "\(outcome)")
        for secret in row.typed + ["1234", "0000"] where secret != "new" { #expect(!texts.contains(secret)) }
        #expect(try device.device.status().hasPasscode == (row.passcodeAfter != nil))
        if let passcode = row.passcodeAfter { try device.device.unlock(passcode: SecretBytes(Array(passcode.utf8))) }
    }

    @Test(
        "who does not answer is told so",
        arguments: [
            (AuthenticationReply.cancelled, "cancelled"), (.ended, "no passcode was given in time"),
            (.unavailable, "there is no terminal"),
        ]
    )
    func noAnswer(_ reply: AuthenticationReply, _ says: String) throws {
        let device = FakeDevice(passcode: "1234")
        var control = Control(device: device)
        control.answers = [reply]
        let outcome = try control.run(["device", "unlock"])
        #expect(outcome.status == 1)
        #expect(outcome.error.contains(says))
        #expect(device.attempts == 0)
    }

    @Test("the user is prompted in the right way")
    func prompts() throws {
        let device = FakeDevice()
        var control = Control(device: device)
        control.answers = [.typed("1234")]
        #expect(try control.run(["device", "set-passcode"]).prompts == [.newApplicationPassword])
        control.answers = [.typed("1234"), .typed("5678")]
        #expect(try control.run(["device", "change-passcode"]).prompts == [.passcode, .newApplicationPassword])
    }

    @Test("a policy keeps what is not given")
    func policy() throws {
        let device = FakeDevice(passcode: "1234")
        var control = Control(device: device)
        control.answers = [.typed("1234")]
        let steps: [([String], DevicePolicy)] = [
            (["--auto-lock", "60"], DevicePolicy(autoLockAfterSeconds: 60)),
            (["--erase-after", "10"], DevicePolicy(autoLockAfterSeconds: 60, eraseAfterFailedAttempts: 10)),
            (["--auto-lock", "never"], DevicePolicy(eraseAfterFailedAttempts: 10)),
            (["--auto-lock", "5", "--erase-after", "never"], DevicePolicy(autoLockAfterSeconds: 5)),
        ]
        for (arguments, policy) in steps {
            #expect(try control.run(["device", "set-policy"] + arguments).status == 0)
            #expect(try device.device.status().policy == policy)
        }
    }

    @Test("a command is run with its own words, and its exit status is handed on", arguments: [0, 1, 7, 130])
    func runs(_ status: Int32) throws {
        let device = FakeDevice(passcode: "1234")
        var control = Control(device: device)
        control.answers = [.typed("1234")]
        control.programStatus = status
        let words = ["env", "--json", "--", "-x", ""]
        let outcome = try control.run(["device", "unlock", "--"] + words)
        #expect(outcome == Control.Outcome(status: status, prompts: [.passcode], programs: [words]))
    }

    @Test("without the right passcode nothing is run; without a passcode everything is")
    func runsNothing() throws {
        var control = Control(device: FakeDevice(passcode: "1234"))
        control.answers = [.typed("0000")]
        let refused = try control.run(["device", "unlock", "--", "true"])
        #expect(refused.status == 1)
        #expect(refused.programs.isEmpty)
        let open = try Control(device: FakeDevice()).run(["device", "unlock", "--", "true"])
        #expect(open == Control.Outcome(status: 0, programs: [["true"]]))
    }

    @Test(
        "what a device refuses is exit status 1 and its reason",
        arguments: [
            (DeviceError.erased, "the device erased itself"), (.emptyPasscode, "the passcode is empty"),
            (.locked, "the device is locked"), (.unusablePolicy, "a policy takes numbers above 0"),
            (.attemptTooSoon(secondsUntilNextAttempt: 59.2), "allowed in 60 seconds"),
            (
                .wrongPasscode(failedAttempts: 6, secondsUntilNextAttempt: 60),
                "6 wrong ones in a row; next attempt in 60 seconds"
            ),
        ]
    )
    func refusals(_ error: DeviceError, _ says: String) throws {
        var control = Control(device: RefusingDevice(error: KeychainError(error)))
        for arguments in [
            ["lock"], ["unlock"], ["unlock", "--", "true"], ["change-passcode"], ["remove-passcode", "--yes"],
            ["set-policy", "--auto-lock", "1"],
        ] {
            control.answers = [.typed("1234"), .typed("5678")]
            let outcome = try control.run(["device"] + arguments)
            #expect(outcome.status == 1)
            #expect(outcome.error.contains(says), "\(outcome)")
            #expect(outcome.programs.isEmpty)
        }
    }

    @Test(
        "a keychain that cannot be used is exit status 1 and its reason",
        arguments: [
            ["status"], ["unlock"], ["unlock", "--", "true"], ["set-passcode"], ["change-passcode"],
            ["remove-passcode", "--yes"], ["set-policy", "--auto-lock", "1"],
        ]
    )
    func unusable(_ arguments: [String]) throws {
        let error = KeychainError(.notAvailable, "this is the reason")
        var control = Control(device: RefusingDevice(error: error, isStatusRefused: true))
        control.answers = [.typed("1234")]
        let outcome = try control.run(["device"] + arguments)
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("this is the reason"))
        #expect(outcome.prompts.isEmpty)
    }
}
