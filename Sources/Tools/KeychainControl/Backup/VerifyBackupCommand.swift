// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore
import KeychainEngine

/// `keychainctl backup verify`: opens everything in a backup.
struct VerifyBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Opens every item and keychain file of a backup, in memory.",
        discussion: CommandDiscussion.text(
            """
            Nothing is written. Exit status 0 means that it can be restored; 1 that the secret is wrong, or the backup is \
            damaged, and the message says which; with --json, the object does.
            """,
            examples: [
                "keychainctl backup verify ~/keychain.backup":
                    "Asks for its secret, and says whether it is sound."
            ]
        )
    )

    @OptionGroup var backup: BackupFileOptions

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        do throws(BackupVerificationFailure) {
            let report = try verify(surroundings)
            surroundings.printLine(
                json
                    ? JSONText.indented(BackupJSON.report(report).merging(["sound": .boolean(true)]) { $1 })
                    : BackupText.verified(report, backup.file)
            )
        } catch {
            if json { surroundings.printLine(JSONText.indented(error.json)) }
            throw error.refusal
        }
    }

    private func verify(_ surroundings: Surroundings) throws(BackupVerificationFailure) -> BackupReport {
        let secret: SecretBytes
        do throws(Refusal) { secret = try backup.readSecret(surroundings, "verify the backup") } catch {
            throw .refused(error)
        }
        let (contents, damage): (InspectedBackup, BackupDamage?)
        do throws(KeychainError) {
            let inspection = try BackupInspection(of: backup.path)
            (contents, damage) = try inspection.examination(secret, atLeast: surroundings.backupFloor)
        } catch {
            throw .unreadable(error)
        }
        if let damage { throw .damaged(damage) }
        return contents.report
    }
}
