// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import FoundationEssentials
import KeychainCore
import KeychainEngine

/// `keychainctl backup restore`: creates the keychain from a backup, or merges one into it.
struct RestoreBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restores a backup where there is no keychain yet, or merges it into the keychain.",
        discussion: CommandDiscussion.text(
            """
            Without --merge and --item, a new keychain without a passcode is made. With them, the items of the backup are \
            added to the keychain in one transaction: an item that is there already is left alone if it is equal, and \
            needs --keep-ours or --keep-theirs if it differs. So the command can be repeated.

            Keychain files go back to where they were in the home folder. One that is there and differs is never \
            replaced, unless --keep-theirs says so; its former contents stay beside it. If one was not restored, \
            everything else is, and the exit status is 1.
            """,
            examples: [
                "keychainctl backup restore ~/keychain.backup":
                    "Asks for the secret of the backup, and makes a keychain of it.",
                "keychainctl backup restore old.backup --merge --dry-run":
                    "Says what would be added, what is equal, and what differs.",
                "keychainctl backup restore old.backup --item com.example/ada":
                    "Brings back one item.",
            ]
        )
    )

    @OptionGroup var backup: BackupFileOptions

    @Flag(help: "Add the items to the keychain that is there.")
    var merge = false

    @Option(
        name: .customLong("item"),
        help: ArgumentHelp("Take only this item, and no keychain files; may be repeated.", valueName: "service/account")
    )
    var items: [String] = []

    @Option(
        help: ArgumentHelp(
            "Of the items with the name of --item, the one with this account: a slash may be part of either.",
            valueName: "account"
        )
    )
    var account: String?

    @Option(help: ArgumentHelp("Of the items with the name of --item, the one in this group.", valueName: "group"))
    var accessGroup: String?

    @Option(name: .customLong("class"), help: "Of the items with the name of --item, the one of this class.")
    var itemClass: BackupItemClass?

    @Flag(help: "Say what --merge or --item would add, what is equal and what differs, and change nothing.")
    var dryRun = false

    @Flag(help: "Keep the items and keychain files that are there and differ.")
    var keepOurs = false

    @Flag(help: "Replace the items and keychain files that are there and differ.")
    var keepTheirs = false

    @Flag(help: "Restore no keychain files.")
    var noKeychainFiles = false

    @Option(
        help: ArgumentHelp("Put the keychain files into this folder instead.", valueName: "folder"),
        completion: .directory
    )
    var filesTo: String?

    @Flag(help: "Write a JSON object.")
    var json = false

    @OptionGroup var passcode: PasscodeOptions

    func validate() throws {
        guard !(keepOurs && keepTheirs) else {
            throw ValidationError("--keep-ours and --keep-theirs exclude each other.")
        }
        guard merges || !dryRun && !passcode.isGiven else {
            throw ValidationError("--dry-run and the passcode's options are for --merge and --item.")
        }
        guard !items.isEmpty || account == nil && accessGroup == nil && itemClass == nil else {
            throw ValidationError("--account, --access-group and --class are for --item.")
        }
        guard filesTo == nil || !noKeychainFiles && items.isEmpty else {
            throw ValidationError("--files-to excludes --no-keychain-files and --item.")
        }
    }

    private var merges: Bool { merge || !items.isEmpty }

    private var conflicts: BackupMerge.Conflicts { keepOurs ? .keepOurs : keepTheirs ? .keepTheirs : .refuse }

    func run() throws {
        let surroundings = Surroundings.current
        if let filesTo { try surroundings.checkIsOutsideOfKeychain(AbsolutePath.of(filesTo)) }
        if merges { try surroundings.unlockForBackup(passcode, "restore from a backup") }
        let secret = try backup.readSecret(surroundings, "restore the keychain from a backup")
        let contents = try surroundings.inspect(backup.path, secret)
        let files = KeychainFileRestoration(
            noKeychainFiles || !items.isEmpty ? [] : contents.files,
            of: surroundings.keychainFiles(),
            into: filesTo.map(AbsolutePath.of),
            conflicts
        )
        // Before anything is restored.
        if !dryRun { try files.checkIsDecided() }
        let source = try surroundings.source(backup.path)
        guard merges else {
            let maintenance = surroundings.keychain.maintenance
            let report = try refusing { () throws(KeychainError) in
                try maintenance.restoreBackup(from: source, secret: secret)
            }
            let outcome = files.run()
            surroundings.printLine(
                json
                    ? JSONText.indented(BackupJSON.report(report).merging(outcome.json) { $1 })
                    : outcome.text(after: BackupText.restored(report, backup.file))
            )
            if let refusal = outcome.refusal { throw refusal }
            return
        }
        try merge(contents, from: source, secret: secret, files: files, in: surroundings)
    }

    private func merge(
        _ contents: InspectedBackup,
        from source: RestoreRequest.Source,
        secret: SecretBytes,
        files: KeychainFileRestoration,
        in surroundings: Surroundings
    ) throws {
        let chosen = items.isEmpty ? nil : Set(try items.map { try identifier($0, in: contents.items) })
        let merge = BackupMerge(conflicts, isTrial: dryRun, items: chosen)
        let maintenance = surroundings.keychain.maintenance
        let report = try refusing { () throws(KeychainError) in
            try maintenance.mergeBackup(from: source, secret: secret, merge)
        }
        let outcome = dryRun || !report.isApplied ? files.plannedOutcome : files.run()
        surroundings.printLine(
            json
                ? JSONText.indented(BackupJSON.merged(report).merging(outcome.json) { $1 })
                : outcome.text(after: BackupText.merged(report, merge))
        )
        guard dryRun || report.isApplied else {
            throw Refusal(
                "\(Count.text(report.differing.count, "item")) of the keychain differ from the backup, and nothing was "
                    + "changed: choose --keep-ours or --keep-theirs"
            )
        }
        if let refusal = outcome.refusal { throw refusal }
    }

    /// The item of a name.
    ///
    /// A slash may be part of a service or an account, so that items of several services may have one name.
    private func identifier(_ name: String, in items: [BackedUpItem]) throws(Refusal) -> ItemIdentifier {
        let found = items.filter { item in
            item.name == name && (account.map { $0 == item.account } ?? true)
                && (accessGroup.map { $0 == item.accessGroup } ?? true)
                && (itemClass.map { $0.itemClass == item.itemClass } ?? true)
        }
        guard let item = found.first else {
            throw Refusal("the backup has no item '\(name.printable)'; 'keychainctl backup list' shows them")
        }
        guard found.count == 1 else {
            let hasSeveralAccounts = found.contains { $0.account != item.account }
            let lines = found.map { item in
                let parts = "    service '\(item.service.printable)', account '\(item.account.printable)':"
                return "\(hasSeveralAccounts ? parts : "")    \(BackupText.line(item))"
            }
            throw Refusal(
                "several items have the name '\(name.printable)'; choose by \(hasSeveralAccounts ? "--account, " : "")"
                    + "--access-group or --class:\n" + lines.joined(separator: "\n")
            )
        }
        return item.identifier
    }
}
