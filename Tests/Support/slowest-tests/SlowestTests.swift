// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lists the tests of a run that took longest by themselves: the time of their cases, without waiting for their turn.
///
/// What it reads are the event streams of Swift Testing (`--event-stream-output-path`, version 0).
@main
struct SlowestTests {
    /// An event that begins or ends a case of a test; lines of other kinds have none.
    private struct Line: Decodable {
        struct Payload: Decodable {
            struct Instant: Decodable {
                var absolute: Double
            }
            struct Case: Decodable {
                var id: String
            }
            var kind: String?
            var testID: String?
            var instant: Instant?
            var _testCase: Case?
        }
        var payload: Payload
    }

    static func main() {
        var begun: [String: Double] = [:]
        var seconds: [String: Double] = [:]
        for line in CommandLine.arguments.dropFirst().flatMap(lines) {
            guard let event = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)).payload,
                let test = event.testID, let time = event.instant?.absolute
            else { continue }
            let testCase = test + (event._testCase?.id ?? "")
            switch event.kind {
            case "testCaseStarted": begun[testCase] = time
            case "testCaseEnded": seconds[test, default: 0] += time - (begun.removeValue(forKey: testCase) ?? time)
            default: break
            }
        }
        print("The slowest tests, in seconds of their own:")
        for (test, time) in seconds.sorted(by: { $0.value > $1.value }).prefix(20) {
            print(String(format: "%7.1f  ", time) + test.split(separator: "/").dropLast().joined(separator: "/"))
        }
    }

    private static func lines(of file: String) -> [Substring] {
        ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").filter {
            $0.contains(#""testCase"#)
        }
    }
}
