// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl device set-policy`: configures automatic locking and erasing.
struct SetPolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-policy",
        abstract: "Sets automatic locking, and erasing after wrong passcodes.",
        discussion: CommandDiscussion.text(
            "Requires the passcode, if one is set. Options that are not given keep their values.",
            examples: [
                "keychainctl device set-policy --auto-lock 300":
                    "Locks a program that has not used the keychain for five minutes.",
                "keychainctl device set-policy --erase-after never":
                    "Erases nothing, however often the passcode was wrong.",
            ]
        )
    )

    @Option(help: ArgumentHelp("Lock a program after this many seconds without a call.", valueName: "seconds|never"))
    var autoLock: Limit?

    @Option(help: ArgumentHelp("Erase everything after this many wrong passcodes in a row.", valueName: "n|never"))
    var eraseAfter: Limit?

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    func validate() throws {
        guard autoLock != nil || eraseAfter != nil else {
            throw ValidationError("Give --auto-lock, --erase-after, or both.")
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let device = surroundings.keychain.device
        let status = try refusing { () throws(KeychainError) in try device.status() }
        var policy = status.policy
        if let autoLock { policy.autoLockAfterSeconds = autoLock.number }
        if let eraseAfter { policy.eraseAfterFailedAttempts = eraseAfter.number }
        if status.hasPasscode {
            let source = passcode.source(surroundings)
            let passcode = try source.read(.passcode, .passcode, reason: "change the policy")
            try refusing { () throws(KeychainError) in try device.unlock(passcode: passcode) }
        }
        try refusing { () throws(KeychainError) in try device.setPolicy(policy) }
        surroundings.printLine("The policy is set.")
    }

    /// A number above 0, or never.
    struct Limit: ExpressibleByArgument, Hashable {
        /// `nil` for never.
        let number: Int?

        init?(argument: String) {
            if argument == "never" {
                number = nil
            } else if let number = Int(argument), number > 0 {
                self.number = number
            } else {
                return nil
            }
        }
    }
}
