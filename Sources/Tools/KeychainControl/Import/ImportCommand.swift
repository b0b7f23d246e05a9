// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl import`: takes items of other programs into the keychain.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Takes passwords of other programs into the keychain.",
        discussion: CommandDiscussion.text(
            "Keys and certificates of files are imported by 'security import'.",
            examples: [
                "keychainctl import passwords.csv": "Takes the passwords of a file.",
                "keychainctl import secret-service --dry-run": "Shows what would be added, and changes nothing.",
                "keychainctl help import secret-service": "Explains where items are taken from.",
            ]
        ),
        subcommands: [ImportFileCommand.self, ImportSecretServiceCommand.self],
        defaultSubcommand: ImportFileCommand.self
    )
}

/// `keychainctl import secret-service`.
struct ImportSecretServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret-service",
        abstract: "Takes the items of the program that is the Secret Service of this session.",
        discussion: CommandDiscussion.text(
            """
            Its items are read over the session bus: attributes, labels, times, content types and secrets. All \
            collections are taken into the keychain that 'security' reads. Nothing is changed or deleted there.

            An item that the keychain has with the same attributes and the same secret is left, so that a second run adds \
            nothing; with another secret, the keychain's stays unless --replace is given. What is locked there is counted \
            and named. The exit status is 1 unless everything of theirs is in the keychain then; with --dry-run, 0 if a run \
            would leave nothing out.
            """,
            examples: [
                "keychainctl import secret-service --dry-run": "Shows what would be added, and changes nothing.",
                "keychainctl import secret-service": "Adds it.",
                "keychainctl import secret-service --collection Work --unlock":
                    "Takes one collection, and has its service ask for the password.",
            ]
        )
    )

    @Flag(name: [.long, .customShort("n")], help: "Show what would be added, and change nothing.")
    var dryRun = false

    @Flag(help: "Take their secret where the keychain has another one.")
    var replace = false

    @Flag(help: "Have the service unlock what is locked there, for which it asks you.")
    var unlock = false

    @Option(
        help: ArgumentHelp(
            "A collection, by its label or the end of its path; several are given one by one.",
            valueName: "name"
        )
    )
    var collection: [String] = []

    @Option(help: ArgumentHelp("The address of the message bus; else that of the session.", valueName: "address"))
    var address: String?

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        guard let address = address ?? SessionBus.address(surroundings.environment) else {
            throw Refusal("there is no session bus: \(SessionBus.variable) is not set, and --address is not given")
        }
        let service = try ForeignSecretService(at: address)
        if let own = try? surroundings.service().runningProcess(), own == (try service.process()) {
            throw Refusal(
                "the Secret Service of this bus is the keychain itself; start the other one on a bus of its own, such as "
                    + "by 'dbus-run-session', and import there"
            )
        }
        let status = try refusing { () throws(KeychainError) in try surroundings.keychain.device.status() }
        guard !status.isLocked else { throw Refusal(KeychainError(DeviceError.locked)) }
        let found = try service.items(of: collection, unlocking: unlock)
        var report = ItemImport.Report()
        let transfer = ItemImport(into: surroundings.keychain, replacing: replace, isRehearsal: dryRun)
        var failure: KeychainError?
        do throws(KeychainError) { try transfer.take(found.items, into: &report) } catch { failure = error }
        let text = ImportText(report: report, found: found, isRehearsal: dryRun)
        if json { surroundings.printLine(text.json) } else { text.lines.forEach(surroundings.printLine) }
        if let failure { throw Refusal(failure) }
        guard text.isComplete else { throw ExitCode.failure }
    }
}
