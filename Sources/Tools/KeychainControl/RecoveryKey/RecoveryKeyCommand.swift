// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl recovery-key`: the way back into a keychain whose passcode or root key is lost.
struct RecoveryKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery-key",
        abstract: "Makes a key that opens the keychain without passcode and root key, and uses it.",
        discussion: CommandDiscussion.text(
            """
            A recovery key is written down, and kept apart from the computer: whoever has it and the keychain's folder \
            has everything in it. It is shown once, and never an argument.
            """,
            examples: [
                "keychainctl recovery-key": "Shows whether there is one.",
                "keychainctl recovery-key create": "Makes one, for the day on which the passcode is forgotten.",
            ]
        ),
        subcommands: [
            RecoveryKeyStatusCommand.self, CreateRecoveryKeyCommand.self, CheckRecoveryKeyCommand.self,
            UseRecoveryKeyCommand.self, RemoveRecoveryKeyCommand.self,
        ],
        defaultSubcommand: RecoveryKeyStatusCommand.self
    )
}

/// `keychainctl recovery-key status`.
struct RecoveryKeyStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows whether there is a recovery key, and since when.",
        discussion: CommandDiscussion.text(
            examples: ["keychainctl recovery-key status": "Shows since when there is one."]
        )
    )

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let summary = try refusing { () throws(KeychainError) in try surroundings.keychain.device.summary() }
        surroundings.printLine(json ? try RecoveryKeyText.json(summary) : RecoveryKeyText.plain(summary))
    }
}

/// `keychainctl recovery-key create`.
struct CreateRecoveryKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes a recovery key, and shows it once.",
        discussion: CommandDiscussion.text(
            """
            With a passcode set, that is asked for. At a terminal the key counts once its last group was typed: that \
            of a person who has written it down. With --output-fd it is a line of a descriptor, and nothing is asked for.
            """,
            examples: [
                "keychainctl recovery-key create": "Shows the key, and asks for its last group.",
                "keychainctl recovery-key create --passcode-fd 3 --output-fd 4": "Asks for nothing.",
            ]
        )
    )

    @Flag(help: "Make another one in place of the one that there is.")
    var replace = false

    @OptionGroup var outputOptions: RecoveryKeyOutputOptions

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        let device = surroundings.keychain.device
        let output = outputOptions.output
        try output.check(surroundings)
        let summary = try refusing { () throws(KeychainError) in try device.summary() }
        if let date = summary.recoveryKeyDate, !replace {
            throw Refusal(
                "there is a recovery key, made \(RecoveryKeyText.date(date)); --replace makes another one, and that one "
                    + "opens nothing any more"
            )
        }
        let reason = "make a recovery key"
        let passcode = try RecoveryKeyPasscode.read(passcode, summary, reason: reason, in: surroundings)
        try output.create(on: device, passcode: passcode, in: surroundings)
    }
}

/// `keychainctl recovery-key check`.
struct CheckRecoveryKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says whether a recovery key opens this keychain; opens nothing, and changes nothing.",
        discussion: CommandDiscussion.text(
            "It is asked for at the terminal, or a line of a descriptor.",
            examples: ["keychainctl recovery-key check": "Asks for the recovery key."]
        )
    )

    @OptionGroup var recovery: RecoveryKeyOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        let device = surroundings.keychain.device
        try RecoveryKeyText.requireOne(device)
        let key = try recovery.read(surroundings, reason: "check the recovery key")
        try refusing { () throws(KeychainError) in try device.checkRecoveryKey(key) }
        surroundings.printLine("The recovery key opens this keychain.")
    }
}

/// `keychainctl recovery-key use`.
struct UseRecoveryKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Sets another passcode by the recovery key, and makes another recovery key.",
        discussion: CommandDiscussion.text(
            """
            For a forgotten passcode, for too many wrong ones, and for a root key that is lost or belongs to a chip that \
            is gone. Every item stays. It is no attempt of a passcode. The recovery key that was used opens nothing any \
            more; the new one is shown as 'recovery-key create' shows it. When both are lines of one descriptor, the \
            recovery key is the first, and the new passcode the second.
            """,
            examples: [
                "keychainctl recovery-key use": "Asks for the recovery key and a new passcode.",
                "keychainctl recovery-key use --recovery-fd 3 --passcode-fd 4 --output-fd 5": "Asks for nothing.",
            ]
        )
    )

    @OptionGroup var recovery: RecoveryKeyOptions

    @OptionGroup var passcode: PasscodeOptions

    @Flag(help: "Set no passcode, where none was set.")
    var noPasscode = false

    @OptionGroup var outputOptions: RecoveryKeyOutputOptions

    @OptionGroup var misplaced: MisplacedSecret

    func validate() throws {
        guard !noPasscode || !passcode.isGiven else {
            throw ValidationError("A passcode and --no-passcode exclude each other.")
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let device = surroundings.keychain.device
        let output = outputOptions.output
        try output.check(surroundings)
        let summary = try RecoveryKeyText.requireOne(device)
        guard !noPasscode || summary.hasPasscode == false else {
            throw Refusal("a passcode was set, so that a new one has to be: without one, items would be lost")
        }
        let key = try recovery.read(surroundings, reason: "use the recovery key")
        // Before somebody chooses a passcode for nothing.
        try refusing { () throws(KeychainError) in try device.checkRecoveryKey(key) }
        // One that cannot be set is refused before a new recovery key is shown.
        let newPasscode = try noPasscode ? nil : passcode.readNew(reason: "use the recovery key", in: surroundings)
        try output.makeKey(in: surroundings) { (newKey) throws(KeychainError) in
            try device.useRecoveryKey(key, newPasscode: newPasscode, newRecoveryKey: newKey)
        }
        output.say(
            (newPasscode == nil ? "" : "The passcode is set. ")
                + "The new recovery key is valid from now on, and the former one opens nothing any more.",
            in: surroundings
        )
    }
}

/// `keychainctl recovery-key remove`.
struct RemoveRecoveryKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Makes the recovery key useless.",
        discussion: CommandDiscussion.text(
            """
            With a passcode set, that is asked for. A copy of the keychain's folder from before still opens with the \
            recovery key.
            """,
            examples: ["keychainctl recovery-key remove": "Asks for the passcode."]
        )
    )

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        let device = surroundings.keychain.device
        let summary = try RecoveryKeyText.requireOne(device)
        let reason = "remove the recovery key"
        let passcode = try RecoveryKeyPasscode.read(passcode, summary, reason: reason, in: surroundings)
        try refusing { () throws(KeychainError) in try device.removeRecoveryKey(passcode: passcode) }
        surroundings.printLine("The recovery key is removed, and opens nothing any more.")
    }
}

/// The passcode for a change of the recovery key.
enum RecoveryKeyPasscode {
    /// Reads the passcode, and proves it: a daemon allows the change only to an owner who has entered it.
    ///
    /// - Returns: `nil` where none is set.
    static func read(
        _ options: PasscodeOptions,
        _ summary: DeviceSummary,
        reason: String,
        in surroundings: Surroundings
    ) throws(Refusal) -> SecretBytes? {
        guard summary.hasPasscode == true else { return nil }
        let passcode = try options.source(surroundings).read(.passcode, .passcode, reason: reason)
        try refusing { () throws(KeychainError) in try surroundings.keychain.device.unlock(passcode: passcode) }
        return passcode
    }
}
