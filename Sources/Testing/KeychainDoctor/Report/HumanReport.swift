// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension DoctorReport {
    /// The report for people: the headline first, then what it rests on, what to do, and the details.
    package var humanText: String {
        var lines = finding
        if !questions.isEmpty {
            lines += section(
                "Ask yourself",
                questions.flatMap { question in
                    [
                        "\(filled(question.text)) (\(filled(question.why)))", "  yes: \(filled(question.yes))",
                        "  no: \(filled(question.no))",
                    ]
                }
            )
        }
        lines += section("Details", details)
        return lines.joined(separator: "\n")
    }

    /// The text for a failing test: the report without questions and details.
    package var briefText: String {
        var lines = finding
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    /// The problem and the remedy, in two sentences; `nil` if the doctor does not know.
    package var adviceSentence: String? {
        guard exitStatus == 0, diagnosis.verdict != .nothingWrong, let first = advice.first else { return nil }
        return "\(headline) \(filled(first.text))"
    }

    /// The headline, its evidence, the intended item, and the advice.
    private var finding: [String] {
        var lines = [headline, ""]
        if !because.isEmpty { lines += section("Because", because) }
        if let table = differenceTable { lines += ["The item that was meant, beside the query:", ""] + table + [""] }
        if !advice.isEmpty { lines += section("Fix", advice.flatMap(adviceLines)) }
        if !never.isEmpty { lines += section("Do not", never.map { filled($0) }) }
        return lines
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        ["\(title):"] + lines.flatMap { $0.split(separator: "\n").map { "  \($0)" } } + [""]
    }

    private func adviceLines(_ advice: Advice) -> [String] {
        var lines = [filled(advice.text)]
        if advice.risk != .none { lines.append("  risk: \(advice.risk.rawValue)") }
        if !advice.preconditions.isEmpty { lines.append("  when: \(advice.preconditions.joined(separator: ", "))") }
        let literal = SwiftLiteral(redaction: redaction)
        for name in ["query", "attributes"] {
            guard let dictionary = advice.dictionaries[name] else { continue }
            let code = "let \(name): [CFString: Any] = " + literal.text(dictionary, of: itemClass(of: dictionary))
            lines += code.split(separator: "\n").map { "  \($0)" }
        }
        if let call = functionCall(advice) { lines.append("  \(call)") }
        return lines
    }

    /// The call of a function with the dictionaries of an advice; `nil` for one that has none.
    func functionCall(_ advice: Advice) -> String? {
        guard let function = advice.function else { return nil }
        let arguments =
            advice.dictionaries["attributes"] == nil
            ? "query as CFDictionary" : "query as CFDictionary, attributes as CFDictionary"
        let result = [ItemFunction.copyMatching.rawValue: ", &result", ItemFunction.add.rawValue: ", nil"][function]
        return "let status = \(function)(\(arguments)\(result ?? ""))"
    }

    private func itemClass(of dictionary: PropertyDictionary) -> ItemClass? {
        guard case .string(let text)? = dictionary[PropertyKey.itemClass] else { return explanation.search?.itemClass }
        return ItemClass(rawValue: text)
    }

    /// The query next to the nearest item; differing rows begin with a mark.
    private var differenceTable: [String]? {
        guard let candidate = diagnosis.candidate, let search = explanation.search, !candidate.differences.isEmpty
        else {
            return nil
        }
        let failed = Dictionary(candidate.differences.map { ($0.key, $0) }) { first, _ in first }
        var rows: [[String]] = [["", "attribute", "query", "item", ""]]
        for term in search.terms where term.isGiven || failed[term.key] != nil {
            let difference = failed[term.key]
            let stored = difference?.stored ?? stored(term.key, candidate.item)
            rows.append([
                difference == nil ? " " : "\u{2260}", KeyNames.constant(term.key, of: search.itemClass),
                queried(term, search), stored.map { shown($0, for: term) } ?? (difference == nil ? "" : "-"),
                difference?.relation.rawValue ?? "",
            ])
        }
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { text, width in
                text + String(repeating: " ", count: max(0, width - text.count))
            }
            let line = "  " + cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private func queried(_ term: ExplainedTerm, _ search: ExplainedSearch) -> String {
        if term.kind == .itemClass { return search.itemClass.rawValue }
        if let groups = term.groups { return groups.map(redaction.shown).joined(separator: ", ") }
        return term.value.map(plain) ?? "given"
    }

    private func shown(_ value: AttributeValue, for term: ExplainedTerm) -> String {
        if term.kind == .itemClass, case .string(let text) = value { return text }
        return plain(value)
    }

    private func stored(_ key: String, _ item: ExplainedItem) -> AttributeValue? {
        key == PropertyKey.itemClass
            ? .string(item.itemClass.rawValue) : AttributeName(key).flatMap { item.value(of: $0) }
    }

    /// A value as a cell of a table has it.
    func plain(_ value: AttributeValue) -> String { Self.printable(redaction.sentence(ItemText.value(value))) }

    private var details: [String] {
        var lines = [
            "verdict \(diagnosis.verdict.rawValue), confidence \(diagnosis.confidence), by \(diagnosis.path.joined(separator: ", "))",
            "status \(status), replayed \(replayed)",
            diagnosis.verdict.row.meaning,
        ]
        if !diagnosis.also.isEmpty { lines.append("also: \(diagnosis.also.map(\.rawValue).joined(separator: ", "))") }
        if let blastRadius { lines.append("touches \(blastRadius.count) \(blastRadius.count == 1 ? "item" : "items")") }
        for relaxation in (nearMisses?.relaxations ?? []).prefix(5) {
            let drop = relaxation.dropped.sorted().joined(separator: ", ")
            lines.append(
                "without \(drop): \(relaxation.count) would match\(relaxation.isAmbiguous ? ", ambiguous" : "")"
            )
        }
        for (name, candidate) in listed {
            let text = Self.printable(redaction.sentence(ItemText.short(candidate.item)))
            lines.append("\(name), distance \(candidate.distance): \(text)")
        }
        if nearMisses?.isBounded ?? false { lines.append("there are more near items than were looked at") }
        let failed = checks.filter { $0.outcome == .fail }.map(\.id.name)
        let unknown = checks.filter { $0.outcome == .unknown }.map(\.id.name)
        if !failed.isEmpty { lines.append("checks that fail: \(failed.joined(separator: ", "))") }
        if !unknown.isEmpty { lines.append("unknown: \(unknown.joined(separator: ", "))") }
        return lines.map { Self.printable($0) }
    }

    /// A text without what a terminal would obey or a reader would not see, each such character as a question mark.
    package static func printable(_ text: String) -> String { text.printable }
}
