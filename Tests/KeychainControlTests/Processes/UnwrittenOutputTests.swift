// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

/// Results that cannot be written, of each program, by the table in `Cases`: whoever runs it must not take nothing, or
/// a part of a result, for all of it.
@Suite(.timeLimit(.minutes(30)))
struct UnwrittenOutputTests {
    /// A command and what becomes of it.
    struct Row: Sendable {
        let command: String
        /// With what the line begins that says so.
        let says: String
        /// The exit status if nobody reads the output any more, which is not talked about.
        let unread: Int
        /// The exit status if the output is written.
        let status: Int
    }

    private static func rows(of program: String) throws -> [Row] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appendingPathComponent("Cases/outputs.jsonl"))
        return try data.split(separator: 0x0A).compactMap { line in
            let row = try JSONParser.parse(line)
            guard row["program"].string == program else { return nil }
            return Row(
                command: try #require(row["command"].string),
                says: try #require(row["says"].string),
                unread: Int(try #require(row["unread"].integer)),
                status: Int(row["status"].integer ?? 0)
            )
        }
    }

    private static let items = """
        add() { security add-generic-password -s "$1" -a "$2" -w "$3"; }
        add svc ada pw; add otp ada JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP; add kubectl admin token
        add aws-vault work '{"AccessKeyId": "AKIA", "SecretAccessKey": "SK"}'
        security add-internet-password -s example.com -a ada -r htps -w pw
        security add-internet-password -s r.example -a al -r htps -l 'Docker Credentials' -w d
        """

    /// Runs a command whose output is full, closed, read by nobody, and read.
    private static let outputs = """
        errors=$(eval "$1" 2>&1 >/dev/full); echo "full $? $errors"
        errors=$(eval "$1" 2>&1 >&-); echo "closed $? $errors"
        exec 3>&1; rm -f "$HOME/ready"; mkfifo "$HOME/ready"
        { read -r _ <"$HOME/ready"; eval "$1" 2>&3; echo "unread $?" >&3; } | { exec 0<&-; echo >"$HOME/ready"; }
        output=$(eval "$1" 2>/dev/null); echo "read $? $([ -n "$output" ] && echo something)"
        """

    @Test(
        "a full and a closed output are an error with a line, and one that nobody reads is one without",
        arguments: ["keychain-helper", "keychainctl", "security", "keychaind"]
    )
    func outputs(_ program: String) throws {
        let folder = try TemporaryFolder()
        let (status, said) = try ControlProcess.run(["sh", "-c", Self.items], folder)
        #expect(status == 0 && said.isEmpty, "\(said)")
        let rows = try Self.rows(of: program)
        #expect(!rows.isEmpty)
        for row in rows {
            let (_, output) = try ControlProcess.run(["sh", "-c", Self.outputs, "sh", row.command], folder)
            let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
            try #require(lines.count == 5, "\(row.command): \(output)")
            for (line, place, reason) in [
                (lines[0], "full", "No space left on device"), (lines[1], "closed", "Bad file descriptor"),
            ] {
                let isSaid =
                    line.hasPrefix("\(place) 1 \(row.says)") && line.hasSuffix("output cannot be written: \(reason)")
                #expect(isSaid, "\(row.command): \(line)")
            }
            #expect(lines[2] == "unread \(row.unread)", "\(row.command)")
            #expect(lines[3] == "read \(row.status) something", "\(row.command)")
        }
    }
}
