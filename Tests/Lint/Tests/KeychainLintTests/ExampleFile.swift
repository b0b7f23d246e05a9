// SPDX-License-Identifier: Apache-2.0
import Foundation
import KeychainLint
import Testing

/// Files in one text: a line `=== PATH` begins each.
///
/// Without such a line the text is one file of Swift.
enum ExampleFile {
    static func files(_ text: String) -> [String: String] {
        var result: [String: String] = [:]
        for part in ("\n" + text).components(separatedBy: "\n=== ").dropFirst() {
            let pieces = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            result[String(pieces[0])] = pieces.count > 1 ? String(pieces[1]) : ""
        }
        return result.isEmpty ? ["Sources/App/Example.swift": text] : result
    }

    /// The text files of a folder beside this source, by their names.
    static func texts(in folder: String) -> [(name: String, text: String)] {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.sorted().map { name in
            (name, (try? String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)) ?? "")
        }
    }
}

/// An example of a rule: that of its page, or one in the folder Examples.
///
/// There a line `>>> flagged RULE…` or `>>> accepted RULE…` begins an example, with a remark behind a colon; its files
/// follow. What stands behind ` <<< ` after the path of entitlements is the list of their access groups before a
/// change.
struct RuleExample: CustomTestStringConvertible, Sendable {
    enum Kind: String { case flagged, accepted }

    var kind: Kind
    var rule: String
    var number: Int
    var files: [String: String]
    var formerGroups: [String: [String]]?

    var testDescription: String { "\(rule) \(kind) \(number)" }

    /// Those of the pages and then those of the folder, in the order of the rules.
    static let all: [RuleExample] = {
        var found = Rule.all.flatMap { rule in
            [(Kind.flagged, rule.flagged), (.accepted, rule.accepted)].map { kind, example in
                RuleExample(kind, rule: rule.id, files: example.files, formerGroups: example.formerGroups)
            }
        }
        found += ExampleFile.texts(in: "Examples").flatMap { read($0.text) }
        var counts: [String: Int] = [:]
        return found.map { example in
            var example = example
            counts["\(example.kind) \(example.rule)", default: 0] += 1
            example.number = counts["\(example.kind) \(example.rule)"] ?? 0
            return example
        }
    }()

    private init(
        _ kind: Kind,
        rule: String,
        files: [String: String],
        formerGroups: [String: [String]]?
    ) {
        self.kind = kind
        self.rule = rule
        self.number = 0
        self.files = files
        self.formerGroups = formerGroups
    }

    private static func read(_ text: String) -> [RuleExample] {
        ("\n" + text.dropLast()).components(separatedBy: "\n>>> ").dropFirst().flatMap { part in
            let lines = part.split(separator: "\n", maxSplits: 1)
            let words = lines[0].prefix { $0 != ":" }.split(separator: " ").map(String.init)
            guard let kind = Kind(rawValue: words[0]), lines.count > 1 else { return [RuleExample]() }
            var files: [String: String] = [:]
            var former: [String: [String]]?
            for (header, text) in ExampleFile.files(String(lines[1])) {
                let parts = header.components(separatedBy: " <<< ")
                files[parts[0]] = text
                if parts.count > 1 { former = [parts[0]: parts[1].components(separatedBy: ", ")] }
            }
            return words.dropFirst().map { RuleExample(kind, rule: $0, files: files, formerGroups: former) }
        }
    }
}
