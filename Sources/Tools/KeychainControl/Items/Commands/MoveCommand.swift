// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl move`: moves items to another access group, such as those of a program that got another name.
struct MoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Moves a password, or all items of an access group, to another access group.",
        discussion: CommandDiscussion.text(
            """
            A name moves one password, with its note, files and expiry; everything else stays as it is, and nothing is replaced. 'rename' gives it another \
            service and account.

            A program without entitlements and without an identity has its items in the group of its file's name: \
            'tool-1.1' does not find what 'tool-1.0' stored. Give names of files by --from-program and --to-program, and \
            other groups, such as the identity of a program, by --from-group and --to-group.

            All items are moved in one transaction, or none: if one cannot be moved, because the other group has it already, \
            or because it cannot be read, nothing is moved, those that cannot be are listed, and the exit status is 1. With \
            --partial, the others are moved. Nothing is replaced.
            """,
            examples: [
                "keychainctl move github.com/ada --to-group com.example.tool":
                    "Gives a password to the programs of a group.",
                "keychainctl move --from-program tool-1.0 --to-program tool-1.1 --dry-run":
                    "Lists what 'tool-1.0' stored, and changes nothing.",
                "keychainctl move --from-program tool-1.1 --to-group com.example.tool":
                    "Moves it to the program's identity.",
            ]
        )
    )

    @Argument(
        help: "One password: SERVICE/ACCOUNT, SERVICE, or a reference; else all items of a group.",
        completion: ItemCompletion.name
    )
    var name: String?

    @OptionGroup var filter: ItemFilter

    @Option(help: ArgumentHelp("The name of the file of the program whose items are moved.", valueName: "name"))
    var fromProgram: String?

    @Option(help: ArgumentHelp("The access group whose items are moved.", valueName: "group"))
    var fromGroup: String?

    @Option(help: ArgumentHelp("The name of the file of the program that gets the items.", valueName: "name"))
    var toProgram: String?

    @Option(help: ArgumentHelp("The access group that gets the items.", valueName: "group"))
    var toGroup: String?

    @Flag(name: [.long, .customShort("n")], help: "Show what would be moved, and change nothing.")
    var dryRun = false

    @Flag(help: "Move the other items if some cannot be moved.")
    var partial = false

    func run() throws {
        let surroundings = Surroundings.current
        if let name { return try move(name, surroundings) }
        guard filter.isEmpty else { throw Self.usage("\(ItemFilter.options) are for one password, by its name") }
        guard let source = Self.group(fromProgram, fromGroup), let target = Self.group(toProgram, toGroup) else {
            throw Self.usage("give one of --from-program and --from-group, and one of --to-program and --to-group")
        }
        guard source != target else { throw Self.usage("both are the same access group") }
        let move = GroupMove(from: source, to: target, isRehearsal: dryRun, isPartial: partial)
        let report = try refusing { () throws(KeychainError) in try surroundings.keychain.maintenance.moveGroup(move) }
        if report.moved.isEmpty, report.obstacles.isEmpty { throw Refusal("there is no item in the group \(source)") }
        print(report, to: target, surroundings)
        guard report.obstacles.isEmpty else { throw ExitCode.failure }
    }

    /// Moves the password that a name means.
    private func move(_ name: String, _ surroundings: Surroundings) throws {
        guard fromProgram == nil, fromGroup == nil, !partial else {
            throw Self.usage("a name excludes --from-program, --from-group and --partial")
        }
        guard let target = Self.group(toProgram, toGroup) else {
            throw Self.usage("give one of --to-program and --to-group")
        }
        try AccessGroupName.check(target)
        let entry = try surroundings.item(try ItemName.choices(name, filter), named: name)
        guard entry.accessGroup != target else { throw Refusal("'\(name.printable)' is in \(target) already") }
        guard !dryRun else {
            let attachments = try surroundings.attachments(of: entry).remark
            return surroundings.printLine("Would move \(entry.distinction)\(attachments) to \(target.printable).")
        }
        do throws(Refusal) {
            try surroundings.withItems { (store) throws(KeychainError) in
                try store.updateWithAttachments(entry, [.accessGroup: .string(target)])
            }
        } catch {
            guard error.status == .failed else { throw error }
            throw Refusal("'\(name.printable)' was not moved to \(target.printable): \(error)")
        }
        surroundings.remark("Moved \(entry.name.printable) to \(target.printable).")
    }

    private func print(_ report: GroupMoveReport, to target: String, _ surroundings: Surroundings) {
        if report.isDone || dryRun && (report.obstacles.isEmpty || partial) {
            let count = Count.text(report.moved.count, "item")
            let end = report.moved.isEmpty ? "." : ":"
            surroundings.printLine("\(report.isDone ? "Moved" : "Would move") \(count) to \(target)\(end)")
            for item in report.moved { surroundings.printLine("  \(Self.line(item))") }
        } else {
            surroundings.printLine("Nothing is moved\(dryRun ? ", as it would be without --dry-run" : "").")
        }
        guard !report.obstacles.isEmpty else { return }
        surroundings.printLine("Cannot be moved:")
        for obstacle in report.obstacles {
            surroundings.printLine("  \(Self.line(obstacle.item)): \(Self.text(obstacle.reason, target))")
        }
    }

    private static func line(_ item: GroupMoveReport.Item) -> String {
        "\(item.itemClass.rawValue)  \(item.name.isEmpty ? "(unnamed)" : item.name)"
    }

    private static func text(_ reason: GroupMoveReport.Reason, _ target: String) -> String {
        switch reason {
        case .exists: "in \(target) already"
        case .neverReadable: "its access control permits no reading"
        case .damaged: "damaged; 'keychainctl check' says what can be had back"
        case .unauthenticated(let failure): "its access control cannot be satisfied: \(KeychainError(failure).reason)"
        }
    }

    /// The access group of one of two options; `nil` unless one is given.
    private static func group(_ program: String?, _ group: String?) -> String? {
        switch (program, group) {
        case (let program?, nil) where !program.isEmpty && !program.contains("/"): Client.group(ofProgram: program)
        case (nil, let group?) where !group.isEmpty: group
        default: nil
        }
    }

    private static func usage(_ text: String) -> ExitCode {
        Surroundings.current.remark("Error: \(text)")
        return .usage
    }
}
