// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension DoctorReport {
    /// The report as one page that needs no other file and no script, and can be read without colours.
    package var html: String {
        let page = HTMLPage(report: self)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>\(HTMLText.escaped(headline))</title>
            <style>\(HTMLPage.style)</style>
            </head>
            <body>
            <main>
            <h1>\(HTMLText.escaped(headline))</h1>
            \(page.sections.joined(separator: "\n"))
            </main>
            </body>
            </html>

            """
    }
}

/// Text for HTML.
enum HTMLText {
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in DoctorReport.printable(text) {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
        return result
    }
}

/// The parts of the page.
private struct HTMLPage {
    let report: DoctorReport

    var sections: [String] {
        [summary, call, comparison, advice, warnings, questions, path, matrix, relaxations, details].compactMap(\.self)
    }

    private func escaped(_ text: String) -> String { HTMLText.escaped(text) }

    private func section(_ title: String, _ body: String) -> String {
        "<section>\n<h2>\(escaped(title))</h2>\n\(body)\n</section>"
    }

    private func list(_ items: [String]) -> String { "<ul>" + items.map { "<li>\($0)</li>" }.joined() + "</ul>" }

    private var summary: String {
        let verdict = report.diagnosis.verdict.rawValue
        let status = "\(report.status) (\(report.status.rawValue))"
        let call = "<code>\(escaped(report.call.function.rawValue))</code> answered <code>\(escaped(status))</code>"
        let meaning = "<p>\(escaped(report.diagnosis.verdict.row.meaning))</p>"
        let because = report.because.isEmpty ? "" : list(report.because.map(escaped))
        return "<p class=\"lead\">\(call): <strong>\(escaped(verdict))</strong></p>\n\(meaning)\n\(because)"
    }

    /// The call as code, with the subject of the verdict marked, and its client.
    private var call: String {
        let names = Set(report.diagnosis.names[.attribute].map { KeyNames.constant($0, of: itemClass) })
        var text = code(report.call.query, "query", marking: names)
        if let attributes = report.call.attributes { text += code(attributes, "attributes", marking: names) }
        let groups = report.call.request.client.accessGroups.map {
            "<code>\(escaped(report.redaction.shown($0)))</code>"
        }
        let client = groups.isEmpty ? "no access group" : "the access groups \(groups.joined(separator: ", "))"
        let state = escaped(report.explanation.device.lockState.rawValue)
        return section("The call", "\(text)<p>By a client with \(client); the device was in the state: \(state).</p>")
    }

    private var itemClass: ItemClass? {
        report.explanation.search?.itemClass ?? report.explanation.additions.first?.itemClass
    }

    /// A dictionary as code, the lines of some keys marked.
    private func code(_ dictionary: PropertyDictionary, _ name: String, marking names: Set<String> = []) -> String {
        let literal = SwiftLiteral(redaction: report.redaction).text(dictionary, of: itemClass)
        let lines = "let \(name): [CFString: Any] = \(literal)".split(separator: "\n").map { line in
            let key = line.drop { $0 == " " }.prefix { $0 != ":" }
            guard names.contains(String(key)) else { return escaped(String(line)) }
            return "<mark>\(escaped(String(line)))  // \u{2717} this</mark>"
        }
        return "<pre><code>\(lines.joined(separator: "\n"))</code></pre>"
    }

    /// The path through the trees: a question for each step, the last of which was answered with yes.
    private var path: String {
        let path = report.diagnosis.path
        let steps = path.enumerated().map { index, step in
            let title = StepTitles.title(step).map { " \(escaped($0))" } ?? ""
            let answer = index == path.count - 1 ? "\u{2193} <b>here</b>" : "\u{2193} no"
            return
                "<li><div class=\"step\"><code>\(escaped(step))</code>\(title)</div><div class=\"arrow\">\(answer)</div></li>"
        }
        let verdict = "<li><div class=\"step verdict\">\(escaped(report.diagnosis.verdict.rawValue))</div></li>"
        let also = report.diagnosis.also.map { verdict in
            let headline = report.filled(verdict.row.headline)
            return "<li><code>\(escaped(verdict.rawValue))</code>: \(escaped(headline))</li>"
        }
        let rest = also.isEmpty ? "" : "<p>What else holds:</p><ul>\(also.joined())</ul>"
        return section("The way to this verdict", "<ol class=\"path\">\((steps + [verdict]).joined())</ol>\(rest)")
    }

    /// The query next to the intended item.
    private var comparison: String? {
        guard let candidate = report.diagnosis.candidate, let search = report.explanation.search,
            !candidate.differences.isEmpty
        else { return nil }
        let failed = Dictionary(candidate.differences.map { ($0.key, $0) }) { first, _ in first }
        let rows = search.terms.filter { $0.isGiven || failed[$0.key] != nil }.map { term -> String in
            let difference = failed[term.key]
            let stored = difference == nil ? term.value : difference?.stored
            let mark = difference.map { "\u{2717} \($0.relation.rawValue)" } ?? "\u{2713} equal"
            let isClass = term.kind == .itemClass
            let queried =
                isClass
                ? Self.name(of: search.itemClass)
                : term.value.map(report.plain) ?? term.groups?.joined(separator: ", ") ?? "given"
            let found = isClass ? Self.name(of: candidate.item.itemClass) : stored.map(report.plain) ?? "\u{2013}"
            let style = difference == nil ? "" : " class=\"differs\""
            let name = KeyNames.constant(term.key, of: search.itemClass)
            return
                "<tr\(style)><th scope=\"row\"><code>\(escaped(name))</code></th><td>\(escaped(shown(queried, term)))</td>"
                + "<td>\(escaped(found))</td><td>\(escaped(mark))</td></tr>"
        }
        let head = "<tr><th>attribute</th><th>query</th><th>item</th><th></th></tr>"
        return section("The item that was meant, beside the query", "<table>\(head)\(rows.joined())</table>")
    }

    private static func name(of itemClass: ItemClass) -> String {
        KeyNames.constant(ofValue: itemClass.rawValue, for: PropertyKey.itemClass) ?? itemClass.rawValue
    }

    /// The constant of a key without what all constants begin with.
    private func shortName(_ key: String) -> String {
        let name = KeyNames.constant(key, of: itemClass)
        for prefix in ["kSecAttr", "kSec"] where name.hasPrefix(prefix) { return String(name.dropFirst(prefix.count)) }
        return name
    }

    private func shown(_ text: String, _ term: ExplainedTerm) -> String {
        guard let groups = term.groups else { return text }
        return groups.map(report.redaction.shown).joined(separator: ", ")
    }

    /// Which candidate fails which condition.
    private var matrix: String? {
        guard let search = report.explanation.search, !report.listed.isEmpty else { return nil }
        let terms = search.terms.indices.filter { search.terms[$0].kind != .ignored }
        let columns = terms.map { "<th>\(escaped(shortName(search.terms[$0].key)))</th>" }.joined()
        let rows = report.listed.map { name, candidate -> String in
            let relations = Dictionary(candidate.differences.map { ($0.key, $0.relation.rawValue) }) { first, _ in first
            }
            let cells = terms.map { index -> String in
                let key = search.terms[index].key
                if candidate.item.passedOver.contains(index) {
                    return "<td title=\"not an attribute of the class\">\u{00B7}</td>"
                }
                guard candidate.item.failed.contains(index) else { return "<td class=\"holds\">\u{2713}</td>" }
                return "<td class=\"differs\">\u{2717} <small>\(escaped(relations[key] ?? ""))</small></td>"
            }
            let text = report.redaction.sentence(ItemText.short(candidate.item))
            let state = state(candidate)
            return
                "<tr><th scope=\"row\">\(name)</th><td>\(escaped(text))</td>\(cells.joined())<td>\(escaped(state))</td>"
                + "<td class=\"number\">\(candidate.distance)</td></tr>"
        }
        let head = "<tr><th></th><th>item</th>\(columns)<th>state</th><th>distance</th></tr>"
        let legend = "<p><small>\u{2713} holds, \u{2717} fails, \u{00B7} passed over</small></p>"
        return section(
            "Candidates and conditions",
            "<div class=\"wide\"><table>\(head)\(rows.joined())</table></div>\(legend)"
        )
    }

    private func state(_ candidate: Candidate) -> String {
        if candidate.item.condition == .locked { return "locked" }
        if candidate.isGuarded { return "guarded" }
        return candidate.isVisible ? "visible" : "out of reach"
    }

    private var relaxations: String? {
        guard let relaxations = report.nearMisses?.relaxations, !relaxations.isEmpty else { return nil }
        let rows = relaxations.prefix(10).map { relaxation -> String in
            let drop = relaxation.dropped.sorted().map {
                "<code>\(escaped(KeyNames.constant($0, of: itemClass)))</code>"
            }
            .joined(separator: ", ")
            let width = min(100, relaxation.count * 10)
            let bar = "<span class=\"bar\" style=\"width:\(width)px\"></span>"
            let text = "\(relaxation.count)\(relaxation.isAmbiguous ? ", ambiguous" : "")"
            return "<tr><td>without \(drop)</td><td>\(bar) \(text)</td></tr>"
        }
        return section("What would match", "<table>\(rows.joined())</table>")
    }

    private var advice: String? {
        let items = report.advice.map { advice -> String in
            var text = escaped(report.filled(advice.text))
            if advice.risk != .none { text += " <small>(risk: \(escaped(advice.risk.rawValue)))</small>" }
            if !advice.preconditions.isEmpty {
                text += " <small>(when: \(escaped(advice.preconditions.joined(separator: ", "))))</small>"
            }
            for name in ["query", "attributes"] {
                guard let dictionary = advice.dictionaries[name] else { continue }
                text += code(dictionary, name)
            }
            if let call = report.functionCall(advice) { text += "<pre><code>\(escaped(call))</code></pre>" }
            return text
        }
        return items.isEmpty ? nil : section("Fix", list(items))
    }

    private var warnings: String? {
        report.never.isEmpty ? nil : section("Beware", list(report.never.map { escaped(report.filled($0)) }))
    }

    private var questions: String? {
        guard !report.questions.isEmpty else { return nil }
        return section(
            "Ask yourself",
            list(
                report.questions.map { question in
                    let answers = "yes: \(report.filled(question.yes)); no: \(report.filled(question.no))"
                    return "\(escaped(report.filled(question.text))) <small>\(escaped(answers))</small>"
                }
            )
        )
    }

    private var details: String {
        let checks = report.checks.map { check in
            "<tr><th scope=\"row\">\(check.id.rawValue)</th><td>\(check.outcome.rawValue)</td>"
                + "<td>\(escaped(check.reason.map(report.redaction.sentence) ?? check.evidence.joined(separator: ", ")))</td></tr>"
        }
        let confidence =
            "<p>Confidence \(report.diagnosis.confidence); status replayed: <code>\(escaped("\(report.replayed)"))</code></p>"
        return section(
            "Checks",
            "\(confidence)<details><summary>All checks</summary><table>\(checks.joined())</table></details>"
        )
    }

    static let style = """
        body{font:16px/1.5 system-ui,sans-serif;color:#111;background:#fff;margin:0}main{max-width:60rem;margin:0 auto;padding:1.5rem}\
        h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.1rem;margin-top:2rem;border-bottom:1px solid #999}\
        code,pre{font-family:ui-monospace,monospace;font-size:.9em}pre{background:#f3f3f3;border:1px solid #bbb;padding:.75rem;overflow-x:auto}\
        table{border-collapse:collapse}th,td{border:1px solid #999;padding:.25rem .5rem;text-align:left;vertical-align:top}\
        .number{text-align:right}.wide{overflow-x:auto}.differs td,td.differs{background:#ffe3d6;font-weight:bold}.holds{background:#e8f3ff}\
        .path{list-style:none;padding:0}.arrow{padding:.1rem 1rem;font-size:.9rem}\
        .step{display:inline-block;border:1px solid #555;padding:.2rem .6rem;border-radius:.3rem}.verdict{border-width:3px;font-weight:bold}\
        mark{background:#ffe3d6;font-weight:bold}\
        .bar{display:inline-block;height:.7em;background:#557;vertical-align:middle}.lead{font-size:1.1rem}
        """
}
