// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import HostFiles
import KeychainAudit
import KeychainCore
import KeychainDoctor

/// `keychainctl log`: the requests that the daemon logged, and their statuses.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Shows the requests that programs sent to the daemon, and their statuses.",
        discussion: """
            The daemon logs requests after 'keychainctl service audit on'. The log contains no secret, and no \
            attribute of an item unless it was selected there.
            """
    )

    @Option(help: ArgumentHelp("Show only the last entries, at most this many.", valueName: "number"))
    var last: Int?

    @Flag(help: "Keep showing new entries until interrupted.")
    var follow = false

    @Flag(help: "Write each entry as a JSON object on a line.")
    var json = false

    func validate() throws {
        guard (last ?? 0) >= 0 else { throw ValidationError("--last requires a number that is not negative.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        try surroundings.service().checkKeepsAuditLog()
        var source = try AuditFileSource(surroundings, follows: follow)
        var part = try source.next()
        if part.entries.isEmpty, !source.isOn {
            surroundings.remark("Requests are not logged; 'keychainctl service audit on' starts a log.")
        }
        if let last { part.entries = part.entries.suffix(last) }
        show(part, surroundings)
        while source.wait() { show(try source.next(), surroundings) }
    }

    private func show(_ part: AuditReader.Part, _ surroundings: Surroundings) {
        for entry in part.entries {
            surroundings.say(json ? JSONText.escapingInvisible(entry.line) : AuditText.line(entry))
        }
        if part.unreadable > 0 {
            surroundings.remark("\(part.unreadable) lines of the log cannot be read, and are not shown.")
        }
        // A pipe gets the lines immediately.
        fflush(nil)
    }
}

/// The log of the user's own daemon, which is a file of the user.
///
/// That of a daemon whose files the user cannot read has to be requested from it; ``LogCommand`` needs no more of a
/// source than these members.
private struct AuditFileSource: ~Copyable {
    private let folder: PrivateDirectory
    private let watch: FolderWatch?
    private var reader: AuditReader

    /// The log of the keychain of `surroundings`.
    init(_ surroundings: Surroundings, follows: Bool) throws(Refusal) {
        guard let folder = try surroundings.service().folder() else {
            throw Refusal("there is no keychain, and so no log of its daemon")
        }
        // Watched before it is read, so that no entry is missed in between.
        let watch = try follows ? Self.watch(folder) : nil
        self.init(folder: folder, watch: watch, reader: AuditReader(in: folder))
    }

    private init(folder: PrivateDirectory, watch: FolderWatch?, reader: consuming AuditReader) {
        self.folder = folder
        self.watch = watch
        self.reader = reader
    }

    private static func watch(_ folder: PrivateDirectory) throws(Refusal) -> FolderWatch {
        do { return try FolderWatch(folder.path, for: .newNamesAndWrites) } catch { throw Refusal("\(error)") }
    }

    /// Whether requests are logged.
    var isOn: Bool { AuditSettings(in: folder) != nil }

    /// The new entries.
    mutating func next() throws(Refusal) -> AuditReader.Part {
        do { return try reader.next() } catch { throw Refusal("\(error)") }
    }

    /// Waits for new entries; returns `false` if it was not to follow the log.
    func wait() -> Bool {
        guard let watch else { return false }
        watch.wait()
        _ = watch.takeNames()
        return true
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
