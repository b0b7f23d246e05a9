// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import Glibc
import KeychainAudit
import KeychainCore
import KeychainDoctor
import KeychainHost
import KeychainProtection

/// `keychainctl log`: the requests that the daemon logged, and their statuses.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Shows the requests that programs sent to the daemon, and their statuses.",
        discussion: CommandDiscussion.text(
            """
            The daemon logs requests after 'keychainctl service audit on', and the system service if root has started \
            it with --audit; it shows each user only the entries of that user's programs. The log contains no secret, \
            and no attribute of an item unless it was selected there.
            """,
            examples: [
                "keychainctl log --last 20": "Shows the last 20 requests.",
                "keychainctl log --follow --json": "Writes new requests as lines of JSON, until it is interrupted.",
            ]
        )
    )

    @Option(help: ArgumentHelp("Show only the last entries, at most this many.", valueName: "number"))
    var last: Int?

    @Flag(help: "Keep showing new entries until interrupted.")
    var follow = false

    @Flag(help: "Write each entry as a JSON object on a line.")
    var json = false

    @Flag(help: "Show the system service's entries of all users, one user after the other; only for root.")
    var allUsers = false

    @Option(
        help: "With --all-users, the folder of the keychains; default: \(KeychainLocation.systemFolder).",
        completion: .directory
    )
    var store: String?

    func validate() throws {
        guard (last ?? 0) >= 0 else { throw ValidationError("--last requires a number that is not negative.") }
        guard allUsers || store == nil else { throw ValidationError("--store requires --all-users.") }
        guard !allUsers || !follow else { throw ValidationError("--all-users and --follow exclude each other.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        if allUsers {
            return try SystemLogs.read(in: store ?? KeychainLocation.systemFolder) { part in
                show(last.map(part.suffix) ?? part, surroundings)
            }
        }
        let service = try surroundings.service()
        let source: any LogSource =
            switch try service.owner() {
            case .system?, .moving?: SystemLogSource(service.system, follows: follow)
            default: try AuditFileSource(service, follows: follow)
            }
        let part = try source.next()
        if part.entries.isEmpty, !source.isOn { surroundings.remark(source.remark) }
        show(last.map(part.suffix) ?? part, surroundings)
        while source.wait() { show(try source.next(), surroundings) }
    }

    private func show(_ part: LogPart, _ surroundings: Surroundings) {
        for entry in part.entries {
            surroundings.printLine(json ? JSONText.escapingInvisible(entry.line) : AuditText.line(entry))
        }
        if part.unreadable > 0 {
            surroundings.remark("\(part.unreadable) lines of the log cannot be read, and are not shown.")
        }
        if let problem = part.problem { surroundings.remark(problem) }
        // A pipe gets the lines immediately.
        fflush(nil)
    }
}

/// An entry of a log as a line of text.
enum AuditText {
    static func line(_ entry: AuditEntry) -> String {
        switch entry {
        case .call(let record): DoctorReport.printable(line(record))
        case .lost(let count, let time): "\(time)  \(count) entries before this were lost"
        }
    }

    private static func line(_ record: AuditRecord) -> String {
        let caller = record.caller
        var request = record.operation
        if let itemClass = record.itemClass { request += " \(itemClass)" }
        // Quoted, because programs choose them: one must not look like the rest of the line.
        let groups = record.accessGroups.map(JSONValue.quoted)
        if !groups.isEmpty { request += " in \(groups.joined(separator: ", "))" }
        let attributes = record.attributes.sorted { $0.key.rawValue < $1.key.rawValue }
        for (attribute, text) in attributes { request += " \(attribute.rawValue) \(JSONValue.quoted(text))" }
        let program = caller.program.map(JSONValue.quoted) ?? "unknown program"
        let process = "process \(caller.process), user \(caller.user), \(caller.identity)"
        return "\(record.time)  \(record.status)  \(request)  \(program) (\(process))"
    }
}
