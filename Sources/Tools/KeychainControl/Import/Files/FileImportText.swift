// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What an import of a file says, as lines and as JSON; never a secret.
struct FileImportText {
    let report: FileImport.Report
    let file: ImportedPasswords
    let format: ImportFormat
    let isRehearsal: Bool

    /// Whether every password of the file is in the keychain afterwards.
    var isComplete: Bool { report.different.isEmpty && report.refused.isEmpty && file.refused.isEmpty }

    private var refusals: [(name: String, reason: String)] {
        report.refused.map { ($0.item.line, $0.reason) } + file.refused.map { ($0.place.printable, $0.reason) }
    }

    /// For people.
    var lines: [String] {
        var lines = totals
        func add(_ title: String, _ items: [String]) {
            guard !items.isEmpty else { return }
            lines.append("\(title):")
            lines += items.map { "  \($0)" }
        }
        if isRehearsal { add("Would add", report.added.map(\.line)) }
        add(
            isRehearsal ? "Would replace" : "Replaced",
            report.replaced.map { "\($0.item.line): \($0.differences.joined(separator: ", "))" }
        )
        add(
            "The keychain has them otherwise, and keeps its own (--replace takes those of the file, --keep-both adds them)",
            report.different.map { "\($0.item.line): \($0.differences.joined(separator: ", "))" }
        )
        add("Cannot be taken", refusals.map { "\($0.name): \($0.reason)" })
        add(
            "Has no place in the keychain, and stays in the file",
            file.leftOut.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        )
        return lines
    }

    /// A line with the numbers.
    private var totals: [String] {
        let would = isRehearsal ? "Would add" : "Added"
        var parts = ["\(would) \(Count.text(report.added.count, "password"))"]
        if !report.replaced.isEmpty { parts.append("\(report.replaced.count) replaced") }
        if !report.same.isEmpty { parts.append("\(report.same.count) in the keychain already") }
        if !report.different.isEmpty { parts.append("\(report.different.count) different") }
        if !refusals.isEmpty { parts.append("\(refusals.count) cannot be taken") }
        return [parts.joined(separator: ", ") + " (\(format.rawValue))."]
    }

    /// A JSON object.
    var json: String {
        func object(_ item: ImportedItem, _ more: [String: JSONValue] = [:]) -> JSONValue {
            let members: [String: JSONValue] = [
                "class": .string(PasswordClass(item.itemClass)?.rawValue ?? ""), "service": .string(item.service),
                "account": .string(item.account), "place": .string(item.place),
            ]
            return .object(members.merging(more) { $1 })
        }
        func objects(_ items: [(item: ImportedItem, differences: [String])]) -> JSONValue {
            .array(items.map { object($0.item, ["differences": .strings($0.differences)]) })
        }
        let refused =
            report.refused.map { object($0.item, ["reason": .string($0.reason)]) }
            + file.refused.map { .object(["place": .string($0.place), "reason": .string($0.reason)]) }
        return JSONText.indented([
            "dryRun": .boolean(isRehearsal), "format": .string(format.rawValue),
            "added": .array(report.added.map { object($0) }), "same": .array(report.same.map { object($0) }),
            "different": objects(report.different), "replaced": objects(report.replaced),
            "refused": .array(refused), "leftOut": .object(file.leftOut.mapValues { .integer($0) }),
        ])
    }
}
