// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import FoundationEssentials
import Glibc
import KeychainCore
import KeychainDoctor
import KeychainHost
import KeychainTrace

/// `keychainctl trace`: shows the calls that programs recorded in a trace.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Shows the calls that programs made.",
        discussion: CommandDiscussion.text(
            """
            A program that runs with \(TraceOptions.environmentVariable)=FILE in its environment writes them to FILE, an absolute path. \
            The trace has no secrets.
            """,
            examples: [
                "keychainctl trace calls.jsonl": "Shows the calls of a program, and their results.",
                "keychainctl trace --summary calls.jsonl": "Counts them by status and by place in the source.",
            ]
        )
    )

    @Argument(help: "The trace; default: the file that \(TraceOptions.environmentVariable) names.")
    var file: String?

    @Flag(help: "Go on with the calls that are to come.")
    var follow = false

    @Flag(help: "Count by status and place.")
    var summary = false

    @Flag(help: "Write the lines as they are.")
    var json = false

    @OptionGroup(title: "Which calls")
    var filter: TraceFilter

    mutating func validate() throws {
        if follow, summary { throw ValidationError("--summary counts what is there; it cannot --follow.") }
        if summary, json { throw ValidationError("--json writes lines, and --summary has none.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let reader = try tracing { () throws(TraceError) in try TraceReader(path: try path()) }
        var counts = TraceCounts()
        let places = TracePlaces()
        while true {
            while let line = try tracing({ () throws(TraceError) in try reader.next() }) {
                show(line, counts: &counts, places: places, in: surroundings)
            }
            guard follow else { break }
            // In a pipe, lines would otherwise be buffered.
            fflush(nil)
            if try tracing({ () throws(TraceError) in try reader.reopenIfReplaced() }) { continue }
            usleep(Self.pauseMicroseconds)
        }
        if let rest = reader.rest() { show(rest, counts: &counts, places: places, in: surroundings) }
        if summary { counts.text.forEach(surroundings.printLine) }
    }

    private static let pauseMicroseconds: UInt32 = 200_000

    private func path() throws(TraceError) -> String {
        if let file { return file }
        do throws(FileError) {
            if let path = try ProcessEnvironment.path(TraceOptions.environmentVariable) { return path }
        } catch {
            throw .unusable(path: TraceOptions.environmentVariable, "\(error)")
        }
        throw .unusable(path: TraceOptions.environmentVariable, "it is not set, and no file is named")
    }

    private func show(
        _ line: TraceReader.Line,
        counts: inout TraceCounts,
        places: TracePlaces,
        in surroundings: Surroundings
    ) {
        switch line.content {
        case .failure(let error): surroundings.remark("line \(line.number): \(error)")
        case .success(let entry):
            guard case .call(let call) = entry.content else {
                if case .event(let event) = entry.content, filter.isEmpty, !summary {
                    surroundings.printLine(json ? line.text : "\(entry.time.clockText)  \(event.name)")
                }
                return
            }
            let place = places.place(of: call.stack)
            guard filter.accepts(call, place) else { return }
            if summary { return counts.record(call, place) }
            surroundings.printLine(json ? line.text : TraceText.line(for: entry, call: call, at: place))
        }
    }

    private func tracing<Result>(_ body: () throws(TraceError) -> Result) throws(Refusal) -> Result {
        do { return try body() } catch { throw Refusal(error.description) }
    }
}

/// The options that select calls.
struct TraceFilter: ParsableArguments {
    @Option(parsing: .unconditional, help: "Of this status: its name or number.")
    var status: String?

    @Option(help: "Of this function, such as SecItemAdd.")
    var function: String?

    @Option(name: .customLong("class"), help: "Of this class: its constant, or genp, inet, cert, keys, idnt.")
    var itemClass: String?

    @Option(help: "From places that have this text in them.")
    var place: String?

    var isEmpty: Bool { status == nil && function == nil && itemClass == nil && place == nil }

    func accepts(_ call: TracedCall, _ place: String) -> Bool {
        if let status, status != "\(call.status)", status != "\(call.status.rawValue)" { return false }
        if let function, !call.operation.functionName.contains(function), call.operation.caseName != function {
            return false
        }
        if let itemClass {
            let wanted = CaseNotation.constant(named: itemClass) ?? itemClass
            guard call.operation.mainDictionary[PropertyKey.itemClass] == .string(wanted) else { return false }
        }
        if let text = self.place, !place.contains(text) { return false }
        return true
    }
}

extension TraceReader.Line {
    /// The line, with escapes for characters that control a terminal.
    fileprivate var text: String {
        JSONText.escapingInvisible(String(decoding: bytes, as: UTF8.self))
    }
}
