// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl device set-passcode`: sets the first passcode.
struct SetPasscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-passcode",
        abstract: "Sets a passcode. Only a recovery key replaces one that is forgotten.",
        discussion: CommandDiscussion.text(
            "The terminal prompts for it twice, and then whether to make a recovery key.",
            examples: ["keychainctl device set-passcode": "Asks for the new passcode twice."]
        )
    )

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        // Checked first, so that the user does not choose a passcode for nothing.
        let device = try surroundings.device(hasPasscode: false)
        let passcode = try passcode.source(surroundings).read(
            .newPasscode,
            .newApplicationPassword,
            reason: "set the passcode"
        )
        try refusing { () throws(KeychainError) in try device.setPasscode(passcode) }
        surroundings.printLine("The passcode is set.")
        surroundings.remarkOnSchedule()
        try offerRecoveryKey(passcode, device, in: surroundings)
    }

    /// Offers a recovery key to a person at the terminal, and to nobody else.
    private func offerRecoveryKey(
        _ passcode: SecretBytes,
        _ device: KeychainDevice,
        in surroundings: Surroundings
    ) throws(Refusal) {
        // A daemon of an earlier version has none.
        guard let summary = try? device.summary() else { return }
        guard summary.recoveryKeyDate == nil else { return RecoveryKeyText.remark(summary, in: surroundings) }
        guard surroundings.isTerminal(surroundings.standardInput), surroundings.isTerminal(surroundings.standardOutput)
        else { return }
        let answer = surroundings.askLine("Make a recovery key, for the day on which it is forgotten? [y/N]") ?? []
        guard ["y", "yes"].contains(String(decoding: answer, as: UTF8.self).lowercased()) else { return }
        try RecoveryKeyOutput().create(on: device, passcode: passcode, in: surroundings)
    }
}
