// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore
import KeychainEngine

/// `keychainctl check`: says what of the keychain is damaged, and what can be had back.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says whether the keychain is damaged, and what can be had back.",
        discussion: CommandDiscussion.text(
            """
            It reads files, structure, keys and every item, also where programs refuse the keychain as damaged, and the keychain \
            files of the search list as far as they open without their passwords. Nothing is changed. Items behind a passcode \
            are looked at with --unlock only.

            Exit status: 0 sound; 1 damaged; 2 wrong usage; 4 not readable, as without its root key.
            """,
            examples: [
                "keychainctl check": "Checks the keychain, without asking for anything.",
                "keychainctl check --unlock": "Asks for the passcode, and checks every item.",
            ]
        )
    )

    @Flag(help: "Ask for the passcode, if one is set, and check the items behind it.")
    var unlock = false

    @Flag(help: "Write a JSON object.")
    var json = false

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        let keychain = CheckedKeychain(try surroundings.service(), surroundings)
        let report = try DamageExit.reporting(surroundings) {
            try keychain.check { () throws(Refusal) in
                unlock || passcode.isGiven
                    ? try passcode.source(surroundings).read(.passcode, .passcode, reason: "check every item") : nil
            }
        }
        let files = surroundings.searchList().map(KeychainFileCheck.init(path:))
        surroundings.printLine(json ? try DamageText.json(report, files) : DamageText.plain(report, files))
        let status = DamageExit.status(of: report, files)
        if status != .success { throw status }
    }
}
