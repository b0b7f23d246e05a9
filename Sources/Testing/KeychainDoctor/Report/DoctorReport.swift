// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The doctor's report on one call: a plain value without a secret's bytes.
package struct DoctorReport: Sendable {
    package let call: ExaminedCall
    package let diagnosis: Diagnosis
    package let checks: [CheckResult]
    /// The best near items, at most five, and what would find them.
    package let nearMisses: NearMisses?
    package let advice: [Advice]
    package let never: [String]
    package let questions: [Question]
    /// The items affected by an update or a delete that succeeds.
    package let blastRadius: BlastRadius?
    package let explanation: Explanation
    package let replayed: Status
    package let redaction: Redaction
    /// How many milliseconds it took.
    package var milliseconds: Int

    /// The most near items that a report lists.
    package static let maximumNearMisses = 5

    /// The exit status of a command that prints it.
    package var exitStatus: Int32 { diagnosis.verdict.exitStatus }

    /// The status that is explained.
    package var status: Status { call.reportedStatus ?? replayed }

    /// The near items that are listed, by their names.
    package var listed: [(name: String, candidate: Candidate)] {
        (nearMisses?.near ?? []).prefix(Self.maximumNearMisses).enumerated().map { ("m\($0.offset + 1)", $0.element) }
    }

    /// A recommended action.
    package struct Advice: Sendable {
        package let action: AdviceAction
        package var text: String
        package var risk: AdviceRisk
        package var preconditions: [String]
        package let why: [String]
        /// The dictionaries to use, by purpose, and the function that takes them.
        package var dictionaries: [String: PropertyDictionary] = [:]
        package var function: String?

        init(_ row: AdviceRow, why: [String]) {
            (action, text, risk, preconditions) = (row.action, row.text, row.risk, row.preconditions)
            self.why = why
        }
    }

    /// A question that only the user can answer.
    package struct Question: Sendable {
        package let text: String
        package let why: String
        package let yes: String
        package let no: String
    }

    /// The items that a call touches.
    package struct BlastRadius: Sendable {
        package let count: Int
        package let items: [ExplainedItem]
        package let byClass: [String: Int]
        package let byGroup: [String: Int]
    }

    /// The headline, of at most a hundred characters.
    package var headline: String {
        let text = Self.printable(filled(diagnosis.verdict.row.headline))
        return text.count <= 100 ? text : text.prefix(99) + "\u{2026}"
    }

    /// Which item the call is about, in words, by the key attributes that it names.
    package var identity: String {
        guard let named = NamedAttributes(call.query) else { return call.function.rawValue }
        let parts = named.identifying.map { "\($0.key) \(redaction.sentence(ItemText.value($0.value)))" }
        return Self.printable(([named.itemClass.rawValue] + parts).joined(separator: " "))
    }

    /// At most three lines of evidence.
    package var because: [String] {
        diagnosis.because.prefix(3).map { Self.printable(redaction.sentence($0)) }
    }

    /// A text of the tables with the names of this verdict.
    func filled(_ template: String) -> String {
        var text = template
        for key in VerdictNames.Key.allCases {
            text = text.replacing("{\(key.rawValue)}", with: Self.printable(shown(key)))
        }
        return text.replacing("{count}", with: String(blastRadius?.count ?? 0))
    }

    /// The values of a name, as texts show them.
    private func shown(_ key: VerdictNames.Key) -> String {
        let values = diagnosis.names[key]
        let itemClass = explanation.search?.itemClass ?? explanation.additions.first?.itemClass
        let texts = values.map { value in
            switch key {
            case .attribute: redaction.key(value, of: itemClass)
            case .itemClass: KeyNames.constant(ofValue: value, for: PropertyKey.itemClass) ?? value
            case .level: Accessibility(rawValue: value)?.constantName ?? value
            case .group: redaction.shown(value)
            default: value
            }
        }
        if !texts.isEmpty { return texts.joined(separator: ", ") }
        switch key {
        case .group: return "another group"
        case .attribute: return "its entries"
        case .client: return "another program"
        default: return "another \(key.rawValue)"
        }
    }
}

extension String {
    /// The text with every occurrence of a part replaced.
    fileprivate func replacing(_ part: String, with other: String) -> String {
        guard contains("{") else { return self }
        var (result, rest) = ("", self[...])
        while let index = rest.indices.first(where: { rest[$0...].hasPrefix(part) }) {
            result += rest[..<index] + other
            rest = rest[rest.index(index, offsetBy: part.count)...]
        }
        return result + rest
    }
}
