// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport

/// A row of a table of transcripts: commands of `security` one after the other, and what each prints.
///
/// Each row begins with an empty home, and the steps are processes of one session: what one unlocks the next one reads.
package struct Transcript: Sendable, Decodable, CustomStringConvertible {
    /// The name of the row.
    package var id: String

    /// What it shows.
    package var title: String

    /// The commands.
    package var steps: [Step]

    /// Files in the current folder, by name.
    package var files: [String: File]?

    package var description: String { id }

    /// A command, and what becomes of it.
    package struct Step: Sendable, Decodable {
        /// The arguments without the program's name; `${HOME}` and `${TMP}` stand for the folders.
        package var argv: [String]

        /// Standard input; nothing for an empty one.
        package var stdin: String?

        /// What the command prints and returns.
        package var expect: Expectation
    }

    /// What a command prints and returns; a text that begins with `re:` is a regular expression for the whole stream.
    package struct Expectation: Sendable, Decodable {
        /// The exit status.
        package var exit: Int32

        /// Standard output; nothing for any.
        package var stdout: String?

        /// Standard error; nothing for any.
        package var stderr: String?
    }

    /// The contents of a file.
    package struct File: Sendable, Decodable {
        /// The bytes.
        package var base64: String
    }

    /// A table that cannot be read.
    package struct Defect: Error, CustomStringConvertible {
        /// What is wrong, and where.
        package var description: String
    }

    /// The rows of a file.
    package static func load(_ file: URL) throws -> [Transcript] {
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        return try lines.filter { !$0.element.isEmpty }.map { number, line in
            do {
                return try JSONDecoder().decode(Transcript.self, from: Data(line.utf8))
            } catch {
                throw Defect(description: "\(file.path):\(number + 1): \(error)")
            }
        }
    }
}

// MARK: - Running

extension Transcript {
    /// Runs the steps for a new user by processes of the built program, and stops at the first that differs.
    ///
    /// - Returns: What differs; nothing when the row holds.
    package func run() throws -> [String] {
        let user = try ToolUser()
        return try run(user) { try user.run($0, input: $1) }
    }

    /// Runs the steps in this process, with little work for each password.
    ///
    /// The current folder of a process is that of all its threads: the names of the row's files are replaced by their
    /// paths.
    ///
    /// - Returns: What differs; nothing when the row holds.
    package func runInProcess() throws -> [String] {
        let user = try ToolUser()
        let session = ToolSession(user)
        return try run(user) { arguments, input in
            try session.run(arguments.map { files?[$0] == nil ? $0 : user.current.path(of: $0) }, input: input)
        }
    }

    private func run(
        _ user: ToolUser,
        _ perform: ([String], String?) throws -> ToolProcess.Result
    ) throws -> [String] {
        for (name, file) in files ?? [:] {
            guard let data = Data(base64Encoded: file.base64) else {
                throw Defect(description: "\(id): the file \(name) is not base64")
            }
            try data.write(to: URL(fileURLWithPath: user.current.path(of: name)))
        }
        for (number, step) in steps.enumerated() {
            let result = try perform(step.argv.map { Self.insert(user, into: $0) }, step.stdin)
            var differences: [String] = []
            if result.status != step.expect.exit {
                differences.append("exit status \(result.status) instead of \(step.expect.exit)")
            }
            let streams = [
                ("output", result.output, step.expect.stdout), ("errors", result.errors, step.expect.stderr),
            ]
            for (name, bytes, expectation) in streams where try !Self.matches(bytes, against: expectation, for: user) {
                differences.append("\(name) \(String(decoding: bytes, as: UTF8.self).debugDescription)")
            }
            if !differences.isEmpty { return differences.map { "\(id), step \(number) \(step.argv): \($0)" } }
        }
        return []
    }

    private static func insert(_ user: ToolUser, into text: String, escape: (String) -> String = { $0 }) -> String {
        text.replacingOccurrences(of: "${HOME}", with: escape(user.home.path))
            .replacingOccurrences(of: "${TMP}", with: escape(user.temporary.path))
    }

    private static func matches(_ bytes: [UInt8], against expectation: String?, for user: ToolUser) throws -> Bool {
        guard let expectation else { return true }
        guard expectation.hasPrefix("re:") else { return bytes == Array(insert(user, into: expectation).utf8) }
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        let pattern = insert(user, into: String(expectation.dropFirst(3)), escape: NSRegularExpression.escapedPattern)
        let expression = try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: .useUnixLineSeparators)
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
