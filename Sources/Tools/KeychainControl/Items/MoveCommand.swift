// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl move`: moves items to another access group, such as those of a program that got another name.
struct MoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Moves all items of an access group to another one, such as those of a program's former name.",
        discussion: CommandDiscussion.text(
            """
            A program without entitlements and without an identity has its items in the group of its file's name: \
            'tool-1.1' does not find what 'tool-1.0' stored. Give names of files by --from-program and --to-program, and \
            other groups, such as the identity of a program, by --from-group and --to-group.

            All items are moved in one transaction, or none: if the other group has one of them already, nothing is moved, \
            they are listed, and the exit status is 1. With --leave-existing, the others are moved. Nothing is replaced.
            """,
            examples: [
                "keychainctl move --from-program tool-1.0 --to-program tool-1.1 --dry-run":
                    "Lists what 'tool-1.0' stored, and changes nothing.",
                "keychainctl move --from-program tool-1.1 --to-group com.example.tool":
                    "Moves it to the program's identity.",
            ]
        )
    )

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

    @Flag(help: "Move the other items if the other group has some of them already.")
    var leaveExisting = false

    func run() throws {
        let surroundings = Surroundings.current
        guard let source = Self.group(fromProgram, fromGroup), let target = Self.group(toProgram, toGroup) else {
            throw Self.usage("give one of --from-program and --from-group, and one of --to-program and --to-group")
        }
        guard source != target else { throw Self.usage("both are the same access group") }
        let move = GroupMove(from: source, to: target, isRehearsal: dryRun, leavesCollisions: leaveExisting)
        let report = try refusing { () throws(KeychainError) in try surroundings.keychain.maintenance.moveGroup(move) }
        if report.moved.isEmpty, report.collisions.isEmpty { throw Refusal("there is no item in the group \(source)") }
        print(report, to: target, surroundings)
        guard report.collisions.isEmpty else { throw ExitCode.failure }
    }

    private func print(_ report: GroupMoveReport, to target: String, _ surroundings: Surroundings) {
        func list(_ items: [GroupMoveReport.Item]) {
            for item in items { surroundings.printLine("  \(item.itemClass.rawValue)  \(item.name)") }
        }
        let count = Count.text(report.moved.count, "item")
        if report.isDone {
            surroundings.printLine("Moved \(count) to \(target)\(report.moved.isEmpty ? "." : ":")")
            list(report.moved)
        } else if dryRun, report.collisions.isEmpty || leaveExisting {
            surroundings.printLine("Would move \(count) to \(target)\(report.moved.isEmpty ? "." : ":")")
            list(report.moved)
        } else {
            surroundings.printLine("Nothing is moved\(dryRun ? ", as it would be without --dry-run" : "").")
        }
        guard !report.collisions.isEmpty else { return }
        surroundings.printLine("In \(target) already, and left where it is:")
        list(report.collisions)
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
        return ExitCode(2)
    }
}
