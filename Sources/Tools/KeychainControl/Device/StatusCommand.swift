// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore
import KeychainHost

/// `keychainctl device status`: shows what is available without the passcode.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows whether a passcode is set, the lock state, the policy, and the store's format.",
        discussion: CommandDiscussion.text(
            "The state is that of a program started now. A schedule of backups has a line.",
            examples: ["keychainctl device status --json": "Writes the state as a JSON object, for scripts."]
        )
    )

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let status = try refusing { () throws(KeychainError) in try surroundings.keychain.device.status() }
        // A daemon of an earlier release tells neither.
        let summary = (try? surroundings.keychain.device.summary()) ?? DeviceSummary()
        let store = try? surroundings.keychain.maintenance.storeStatus()
        // Of a schedule that cannot be read, 'backup status' says why.
        let backups = try? BackupSchedule(in: surroundings.scheduleHost().location.path)
        surroundings.printLine(
            json
                ? try StatusText.json(status, summary, store: store, backups: backups)
                : StatusText.plain(status, summary, store: store, backups: backups)
        )
        if let path = surroundings.linkedRootKey() {
            surroundings.remark(
                "\(path) has another name elsewhere (a hard link), as a backup that copies by links gives it: the root key stays "
                    + "there when this name is removed"
            )
        }
        if let part = surroundings.replaceablePart() {
            let why = part.owner.map { "belongs to another user (\($0))" } ?? "can be written by other users"
            surroundings.remark(
                "\(part.path) \(why), who can put another folder in the place of the keychain's: change that, or set "
                    + "SWIFT_KEYCHAIN_HOME to a folder elsewhere"
            )
        }
    }
}
