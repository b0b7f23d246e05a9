// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl device remove-passcode`: removes the passcode, and the items that require one.
struct RemovePasscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-passcode",
        abstract: "Removes the passcode, and destroys the items that require one.",
        discussion: CommandDiscussion.text(
            """
            Every item of the level \(Accessibility.whenPasscodeSetThisDeviceOnly.constantName) is destroyed, and no \
            backup has any of them.
            """,
            examples: ["keychainctl device remove-passcode": "Asks for the passcode, and whether to go on."]
        )
    )

    @OptionGroup var passcode: PasscodeOptions

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        let device = try surroundings.device(hasPasscode: true)
        try confirm(surroundings)
        let passcode = try passcode.source(surroundings).read(.passcode, .passcode, reason: "remove the passcode")
        try refusing { () throws(KeychainError) in try device.removePasscode(passcode) }
        surroundings.printLine("The passcode is removed.")
        surroundings.remarkOnSchedule()
    }

    private func confirm(_ surroundings: Surroundings) throws {
        if yes { return surroundings.remark(Self.warning) }
        guard let isMeant = surroundings.confirm(Self.warning) else {
            throw ValidationError("There is no terminal for the confirmation. \(Self.warning) To confirm, give --yes.")
        }
        guard isMeant else { throw Refusal("cancelled") }
    }

    private static let warning = """
        Removing the passcode permanently destroys every item with \
        \(Accessibility.whenPasscodeSetThisDeviceOnly.constantName).
        """
}
