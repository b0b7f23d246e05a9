// SPDX-License-Identifier: Apache-2.0

import DoctorScenarios
import Foundation
import KeychainCore
import KeychainDoctor
import KeychainProtection

/// Runs the scenarios of files, and prints what became of them; the last line is the summary.
///
/// Exits with 0 when none failed, 1 when some did, and 2 when a file cannot be read.
@main
struct DoctorScenariosCommand {
    private static let usage = """
        usage: doctor-scenarios FILE.jsonl…
               doctor-scenarios --show ID FILE.jsonl [--json|--html]
               doctor-scenarios --random [COUNT]
               doctor-scenarios --document
        """

    static func main() {
        ProcessHardening.disableDumps()
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "--show": show(arguments.dropFirst())
        case "--random": runRandom(arguments.dropFirst().first)
        case "--document":
            print(DiagnosisDocument.text, terminator: "")
            exit(0)
        case let option? where option.hasPrefix("-"): fail(usage)
        case nil: fail(usage)
        default: run(Array(arguments))
        }
    }

    private static func run(_ files: [String]) -> Never {
        var report = ScenarioReport()
        let runner = ScenarioRunner()
        for file in files {
            do {
                for (line, entry) in try Scenario.load(URL(fileURLWithPath: file)) {
                    switch entry {
                    case .success(let scenario): report.add(scenario, runner.run(scenario))
                    case .failure(let defect): report.addUnreadable("\(file):\(line)", defect)
                    }
                }
            } catch {
                fail("\(error)")
            }
        }
        for line in report.details { print(line) }
        print(report.summary)
        exit(report.isClean ? 0 : 1)
    }

    /// Runs random scenarios, and prints a table by mistake.
    private static func runRandom(_ count: String?) -> Never {
        guard let count = UInt64(count ?? "10000"), count > 0 else { fail(usage) }
        let tally = RandomScenario.Tally(seeds: 0..<count)
        for line in tally.misses.prefix(50) { print(line) }
        for line in tally.table { print(line) }
        print("\(tally.percentage) % of \(count) named first")
        exit(tally.percentage >= 95 ? 0 : 1)
    }

    /// Prints what the doctor says of the scenario of an id.
    private static func show(_ arguments: ArraySlice<String>) -> Never {
        guard let id = arguments.first, let file = arguments.dropFirst().first else { fail(usage) }
        do {
            let rows = try Scenario.load(URL(fileURLWithPath: file)).compactMap { try? $0.1.get() }
            guard let scenario = rows.first(where: { $0.id == id }) else { fail("there is no \(id) in \(file)") }
            let report = try ScenarioRunner().report(scenario)
            switch arguments.last {
            case "--json": print(report.json.indentedText)
            case "--html": print(report.html)
            default: print(report.humanText)
            }
            exit(report.exitStatus)
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("doctor-scenarios: \(text)\n".utf8))
        exit(2)
    }
}
