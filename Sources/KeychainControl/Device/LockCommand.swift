// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore

/// `keychainctl device lock`: locks the device for every process.
struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Locks the keychain for every program; each wipes its keys at its next call."
    )

    func run() throws {
        let surroundings = Surroundings.current
        try refusing { () throws(KeychainError) in try surroundings.keychain.device.lock() }
        surroundings.say("Locked.")
    }
}
