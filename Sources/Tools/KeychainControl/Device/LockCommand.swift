// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainClient
import KeychainCore

/// `keychainctl device lock`: locks the device for every process.
struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Locks the keychain for every program; each wipes its keys at its next call.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl device lock": "Locks the keychain for every program."
        ])
    )

    func run() throws {
        let surroundings = Surroundings.current
        do throws(KeychainError) {
            try surroundings.keychain.device.lock()
            surroundings.printLine("Locked.")
        } catch {
            guard error.kind == .service(.lockedInSilence) else { throw Refusal(error) }
            surroundings.printLine("Locked.")
            surroundings.remark(error.reason)
        }
    }
}
