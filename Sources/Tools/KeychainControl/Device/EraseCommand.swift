// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore
import KeychainHost

/// `keychainctl device erase`: begins with an empty keychain, without the passcode except in the system service.
struct EraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Deletes everything in the keychain, and the passcode.",
        discussion: CommandDiscussion.text(
            """
            The way out of a forgotten passcode without a recovery key. Every item of every program is deleted, with all \
            keys. Keychain files, backups, trust settings, the audit log and the settings of the daemon stay. \
            'keychainctl backup restore' then restores a backup. Copies of the folder, and what the disk keeps of \
            overwritten files, are not affected.

            No passcode is needed, except in the system service, where it is asked for: whoever sets the next one there \
            is the owner of the keychain. If it is forgotten, root erases the keychain, by a command that this one shows.
            """,
            examples: [
                "keychainctl device erase": "Says what is lost, and asks whether to go on.",
                "keychainctl device erase --yes": "Does not ask.",
            ]
        )
    )

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        // Root, in the place of an owner who has forgotten the passcode.
        let ofSystemService = try? surroundings.service().ofSystemService()
        let device = ofSystemService?.device ?? surroundings.keychain.device
        let summary = try? device.summary()
        guard summary?.exists != false else { return surroundings.printLine("There is no keychain to erase.") }
        let isInService = ofSystemService == nil && surroundings.isInSystemService()
        let takesPasscode = isInService && summary?.hasPasscode != false
        let backups = try? BackupSchedule(in: surroundings.scheduleHost().location.path)
        let warning = EraseText.warning(summary, lastBackup: backups?.ofThisFolder?.lastGood?.date)
        try confirm(takesPasscode ? "\(warning) \(EraseText.passcodeOrRoot)" : warning, surroundings)
        if takesPasscode { try provePasscode(summary, on: device, in: surroundings) }
        try refusing { () throws(KeychainError) in try device.erase() }
        surroundings.printLine("The device is erased: its keychain is empty, and no passcode is set.")
        surroundings.remarkOnSchedule()
        if isInService || ofSystemService != nil { surroundings.remark(EraseText.nextOwner) }
    }

    private func provePasscode(
        _ summary: DeviceSummary?,
        on device: KeychainDevice,
        in surroundings: Surroundings
    ) throws(Refusal) {
        // Where it cannot be checked, nobody is asked for it.
        guard let summary, summary.hasPasscode == true, summary.hasRootKey else {
            throw Refusal(
                "the passcode cannot be checked, because the keychain's keys cannot be read; nothing was erased"
            )
        }
        let passcode = try passcode.source(surroundings).read(.passcode, .passcode, reason: "erase the device")
        try refusing { () throws(KeychainError) in try device.unlock(passcode: passcode) }
    }

    private func confirm(_ warning: String, _ surroundings: Surroundings) throws {
        if yes { return surroundings.remark(warning) }
        guard let isMeant = surroundings.confirm(warning) else {
            throw ValidationError("There is no terminal for the confirmation. \(warning) To confirm, give --yes.")
        }
        guard isMeant else { throw Refusal("cancelled") }
    }
}

/// What an erasure deletes, and what it takes.
enum EraseText {
    /// For a keychain with a passcode in the system service.
    static let passcodeOrRoot = """
        The system service asks for the passcode. If it is forgotten, root erases instead: \
        \(SystemServiceFiles.commandOfRoot("device erase"))
        """

    /// For one that was erased there.
    static let nextOwner = """
        Set a passcode now ('keychainctl device set-passcode'): the first program that sets one is the owner of the \
        keychain.
        """

    /// The warning.
    ///
    /// - Parameters:
    ///   - summary: what there is; `nil` where the keychain cannot be read.
    ///   - lastBackup: the time of the last complete scheduled backup; `nil` for none.
    /// - Returns: A sentence or two.
    static func warning(_ summary: DeviceSummary?, lastBackup: String? = nil) -> String {
        var lost = [summary?.itemCount.map { Count.text($0, "item") } ?? "all items, which cannot be counted,"]
        if summary?.hasPasscode == true { lost.append("the passcode") }
        if summary?.recoveryKeyDate != nil { lost.append("the recovery key") }
        let list = lost.count > 1 ? lost.dropLast().joined(separator: ", ") + " and " + lost[lost.count - 1] : lost[0]
        return
            "Erasing the device permanently deletes \(list). Keychain files are not touched. Only what is in a backup can "
            + "be had back\(lastBackup.map { "; the last scheduled one is of \($0)" } ?? "")."
    }
}
