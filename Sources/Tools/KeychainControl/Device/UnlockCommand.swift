// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore
import KeychainEngine

/// `keychainctl device unlock`: runs a command that starts unlocked.
struct UnlockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Runs a command and its child processes with the keychain unlocked, until the next lock.",
        discussion: CommandDiscussion.text(
            """
            An unlock lasts as long as a process; if the daemon owns the keychain, until the next lock and for every \
            program, with or without a command. Otherwise, without a command, the passcode is only checked, and the exit \
            status is 1 if it is right as well. The exit status is the command's; 128 and the signal when one ended it, 127 \
            when it is not there, 126 when it cannot be run.
            """,
            examples: [
                "keychainctl device unlock -- swift test": "Asks for the passcode, and runs the tests unlocked.",
                "keychainctl device unlock --passcode-fd 3 -- ./nightly 3< passcode":
                    "Reads the passcode from a file, for a job that nobody watches.",
                "keychainctl device unlock": "Unlocks for all programs, if a daemon owns the keychain.",
            ]
        )
    )

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    @Argument(parsing: .postTerminator, help: "What to run, after --.")
    var command: [String] = []

    func run() throws {
        let surroundings = Surroundings.current
        let keychain = surroundings.keychain
        let status = try refusing { () throws(KeychainError) in try keychain.device.status() }
        guard status.hasPasscode else {
            if !command.isEmpty { return try run(command, offering: nil, in: surroundings) }
            return surroundings.printLine("No passcode is set: the keychain is always unlocked.")
        }
        if command.isEmpty {
            try check(surroundings)
            if surroundings.unlocksForAll() { return surroundings.printLine(Self.unlockedForAll) }
            surroundings.remark(Self.explanation)
            throw ExitCode.failure
        }
        let offer = try offer(surroundings)
        defer { offer?.withdraw() }
        try run(command, offering: offer, in: surroundings)
    }

    private func readPasscode(_ surroundings: Surroundings) throws(Refusal) -> SecretBytes {
        try passcode.source(surroundings).read(.passcode, .passcode, reason: "unlock the keychain")
    }

    private func check(_ surroundings: Surroundings) throws(Refusal) {
        let passcode = try readPasscode(surroundings)
        let device = surroundings.keychain.device
        try refusing { () throws(KeychainError) in
            try device.unlock(passcode: passcode)
            // Without a passcode any input is accepted, and another process may have removed it while this one was
            // typed.
            guard try device.status().hasPasscode else { throw KeychainError(DeviceError.noPasscode) }
        }
    }

    /// Not inlined: the command may run for days, and nothing may keep the passcode in memory once it starts.
    @inline(never)
    private func offer(_ surroundings: Surroundings) throws(Refusal) -> UnlockOffer? {
        let passcode = try readPasscode(surroundings)
        return try refusing { () throws(KeychainError) in
            try surroundings.offerUnlock(passcode)
        }
    }

    private func run(_ command: [String], offering offer: UnlockOffer?, in surroundings: Surroundings) throws {
        let status = try surroundings.run(command, offer)
        guard status == 0 else { throw ExitCode(status) }
    }

    private static let unlockedForAll = "Unlocked, for every program of this user until the next lock."

    private static let explanation = """
        The passcode is right. An unlock lasts as long as a process, and this one ends now. To run a command unlocked:
            keychainctl device unlock -- COMMAND
        To unlock for every program, give the keychain to the daemon first:
            keychainctl service enable
        """
}
