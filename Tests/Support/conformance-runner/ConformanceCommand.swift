// SPDX-License-Identifier: Apache-2.0

import Conformance
import Foundation
import KeychainProtection

/// Runs the cases of files against the keychain, and prints what became of them.
///
/// Exits with 0 when none failed, 1 when some failed, and 2 when the arguments or a file cannot be used.
@main
struct ConformanceCommand {
    private var files: [String] = []
    private var subject = Subject.disk
    private var filter: String?

    static func main() {
        ProcessHardening.disableDumps()
        do {
            let command = try ConformanceCommand(Array(CommandLine.arguments.dropFirst()))
            exit(try command.run() ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("conformance: \(error)\n".utf8))
            exit(2)
        }
    }

    init(_ arguments: [String]) throws {
        var remaining = arguments[...]
        while let argument = remaining.popFirst() {
            switch argument {
            case "--subject": subject = try Self.subject(remaining.popFirst())
            case "--filter": filter = try Self.value(remaining.popFirst(), of: argument)
            case let option where option.hasPrefix("-"): throw UsageError("unknown option \(option)")
            default: files.append(argument)
            }
        }
        if files.isEmpty { throw UsageError("no case file given") }
    }

    /// Runs the chosen cases and prints what became of them; the last line is the summary.
    private func run() throws -> Bool {
        let entries = try files.flatMap { try CaseFile.entries(of: URL(fileURLWithPath: $0)) }.filter(isChosen)
        if entries.isEmpty { throw UsageError("no case to run") }
        let runner = CaseRunner(subject: subject)
        var report = Report()
        for entry in entries {
            switch entry {
            case .success(let testCase): report.add(testCase, runner.run(testCase))
            case .failure(let error): report.add(error)
            }
        }
        for line in report.details { print(line) }
        print(report.summary)
        return report.isClean
    }

    private func isChosen(_ entry: Result<Case, CaseFileError>) -> Bool {
        if case .success(let testCase) = entry,
            subject.refusedCases.contains(testCase.id) || subject.differs(from: testCase)
        {
            return false
        }
        guard let filter, case .success(let testCase) = entry else { return true }
        return [testCase.id, testCase.topic, testCase.title].contains { $0.contains(filter) }
    }

    private static func subject(_ name: String?) throws -> Subject {
        let name = try value(name, of: "--subject")
        guard let subject = Subject(rawValue: name) else { throw UsageError("unknown subject \(name)") }
        return subject
    }

    private static func value(_ argument: String?, of option: String) throws -> String {
        guard let argument else { throw UsageError("\(option) needs a value") }
        return argument
    }
}

/// Arguments that cannot be used.
private struct UsageError: Error, CustomStringConvertible {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    var description: String {
        let subjects = Subject.allCases.map(\.rawValue).joined(separator: "|")
        return "\(reason)\nusage: conformance FILE... [--subject \(subjects)] [--filter TEXT]"
    }
}
