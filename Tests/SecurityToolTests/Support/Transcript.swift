// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import SecurityTool

/// A row of a table of transcripts.
struct Transcript: Sendable, Decodable, CustomTestStringConvertible {
    var id: String
    var title: String
    var steps: [Step]
    var files: [String: File]?

    var testDescription: String { id }

    struct Step: Sendable, Decodable {
        var argv: [String]
        var stdin: String?
        var expect: Expectation
    }

    struct Expectation: Sendable, Decodable {
        var exit: Int32
        var stdout: String?
        var stderr: String?
    }

    struct File: Sendable, Decodable {
        var base64: String
    }

    /// The rows of a file.
    static func load(_ name: String) throws -> [Transcript] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("Cases/\(name).jsonl"), encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            try JSONDecoder().decode(Transcript.self, from: Data(line.utf8))
        }
    }

    /// The row for the one keychain that there is.
    ///
    /// The first write makes it, so a first step that creates `login.keychain` is left out. Where `build.keychain` is
    /// the only keychain, it stands for it.
    var adapted: Transcript {
        var row = self
        guard steps.count > 1, let create = steps.first?.argv, create.first == "create-keychain" else { return self }
        switch create.last {
        case "login.keychain"?: break
        case "build.keychain"?:
            let others = steps.flatMap(\.argv).filter { $0.contains(".keychain") && !$0.contains("build.keychain") }
            guard others.isEmpty else { return self }
            row.steps = row.steps.map(\.inLoginKeychain)
        default: return self
        }
        row.steps.removeFirst()
        return row
    }

    /// Whether every step can be run by now.
    var isSupported: Bool { steps.allSatisfy(\.isSupported) }
}

extension Transcript.Step {
    fileprivate var inLoginKeychain: Transcript.Step {
        var step = self
        step.argv = argv.map { $0.replacingOccurrences(of: "build.keychain", with: "login.keychain") }
        step.expect.stdout = expect.stdout.map(Self.renamed)
        step.expect.stderr = expect.stderr.map(Self.renamed)
        return step
    }

    private static func renamed(_ text: String) -> String {
        text.replacingOccurrences(of: "build.keychain", with: "login.keychain")
            .replacingOccurrences(of: "build\\.keychain", with: "login\\.keychain")
    }

    /// What works on a keychain with a password of its own only, of which there are none yet.
    private static let commandsOfPasswords: Set<String> = ["lock-keychain", "unlock-keychain"]

    /// Whether the command works, or is not needed for a usage.
    fileprivate var isSupported: Bool {
        if argv.contains(where: Self.commandsOfPasswords.contains) { return false }
        let words = ["security"] + argv
        let options = GlobalOptions(words.map { Word($0) })
        let command = words[options.commandIndex...]
        guard let name = command.first, let entry = CommandTable.entry(matching: Word(name)) else { return true }
        if case .command = entry.kind { return true }
        return options.asksForHelp || command.dropFirst().first == "-h"
    }
}

extension Transcript {
    /// Runs the steps, and records what differs.
    func run() throws {
        let user = try ToolUser()
        for (name, file) in files ?? [:] {
            let data = try #require(Data(base64Encoded: file.base64))
            try data.write(to: URL(fileURLWithPath: user.current.path(of: name)))
        }
        for (number, step) in steps.enumerated() {
            let result = try user.run(step.argv.map { Self.insert(user, into: $0) }, input: step.stdin)
            let place = "\(id), step \(number): \(step.argv)"
            #expect(result.status == step.expect.exit, "\(place): exit status; \(result.errorText)")
            #expect(try Self.matches(result.output, step.expect.stdout, user), "\(place): stdout \(result.outputText)")
            #expect(try Self.matches(result.errors, step.expect.stderr, user), "\(place): stderr \(result.errorText)")
        }
    }

    private static func insert(_ user: ToolUser, into text: String, escape: (String) -> String = { $0 }) -> String {
        text.replacingOccurrences(of: "${HOME}", with: escape(user.home.path))
            .replacingOccurrences(of: "${TMP}", with: escape(user.temporary.path))
    }

    private static func matches(_ bytes: [UInt8], _ expectation: String?, _ user: ToolUser) throws -> Bool {
        guard let expectation else { return true }
        guard expectation.hasPrefix("re:") else { return bytes == Array(insert(user, into: expectation).utf8) }
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        let pattern = insert(user, into: String(expectation.dropFirst(3)), escape: NSRegularExpression.escapedPattern)
        let expression = try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: .useUnixLineSeparators)
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
