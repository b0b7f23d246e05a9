// SPDX-License-Identifier: Apache-2.0

import Foundation
import SecurityTranscripts

/// Runs the rows of files with the `security` beside it, and prints those that differ; the last line is the summary.
///
/// With `--in-process` the commands run in this process, without a daemon, which takes much less time.
///
/// Exits with 0 when none differ, 1 when some do, and 2 when a file cannot be read.
@main
struct SecurityTranscriptsCommand {
    static func main() {
        var files = CommandLine.arguments.dropFirst()
        let isInProcess = files.first == "--in-process"
        if isInProcess { files = files.dropFirst() }
        guard !files.isEmpty, !files.contains(where: { $0.hasPrefix("-") }) else {
            fail("usage: security-transcripts [--in-process] FILE.jsonl…")
        }
        do {
            let rows = try files.flatMap { try Transcript.load(URL(fileURLWithPath: $0)) }
            var failures = 0
            for row in rows {
                let differences = try isInProcess ? row.runInProcess() : row.run()
                for difference in differences { print(difference) }
                if !differences.isEmpty { failures += 1 }
            }
            print("\(rows.count - failures) of \(rows.count) rows hold")
            exit(failures == 0 ? 0 : 1)
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("security-transcripts: \(text)\n".utf8))
        exit(2)
    }
}
