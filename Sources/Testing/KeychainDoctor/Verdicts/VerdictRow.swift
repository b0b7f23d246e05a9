// SPDX-License-Identifier: Apache-2.0

/// A row of the verdict tables.
///
/// In texts, `{attribute}`, `{group}` and the other keys of ``VerdictNames`` stand for the findings.
package struct VerdictRow: Sendable {
    package let id: VerdictID
    /// The step of its tree, such as `T2.6`, or `5` for calls that succeed.
    package let place: String
    /// At most 100 characters once the names are filled in; cut otherwise.
    package let headline: String
    /// The meaning, in one or two sentences: for `Documentation/Diagnosis.md` and the details of a report.
    package let meaning: String
    /// The recommended actions; the first is the primary one.
    package var advice: [AdviceRow] = []
    /// Actions to avoid.
    package var warnings: [String] = []
    /// Questions that only the user can answer.
    package var questions: [QuestionRow] = []
    /// Rules and sources, such as `lint:…` and `doctor:…`.
    package var why: [String] = []

    init(_ id: VerdictID, at place: String, headline: String, meaning: String) {
        self.id = id
        self.place = place
        self.headline = headline
        self.meaning = meaning
    }

    /// The tree: the place without the step.
    package var tree: String { place.split(separator: ".").first.map { String($0) } ?? place }

    func advising(
        _ action: AdviceAction,
        _ text: String,
        risk: AdviceRisk = .none,
        if preconditions: String...
    ) -> VerdictRow {
        var row = self
        row.advice.append(AdviceRow(action: action, text: text, risk: risk, preconditions: preconditions))
        return row
    }

    func warning(_ text: String) -> VerdictRow {
        var row = self
        row.warnings.append(text)
        return row
    }

    func asking(_ text: String, because why: String, yes: String, no: String) -> VerdictRow {
        var row = self
        row.questions.append(QuestionRow(text: text, why: why, yes: yes, no: no))
        return row
    }

    func citing(_ sources: String...) -> VerdictRow {
        var row = self
        row.why = sources
        return row
    }
}

/// The possible actions; the raw value is the name in reports.
package enum AdviceAction: String, Sendable, CaseIterable {
    case changeQuery = "change-query"
    case changeAttributes = "change-attributes"
    case updateItem = "update-item"
    case changeEntitlements = "change-entitlements"
    case signAgain = "sign-again"
    case migrate
    case wait
    case authenticate
    case unlock
    case create
    case deleteItem = "delete-item"
    case none
}

/// The risks of following advice.
package enum AdviceRisk: String, Sendable, CaseIterable {
    case none
    case promptsUser = "prompts-user"
    case dataLossIfWrong = "data-loss-if-wrong"
}

/// A piece of advice, before the names are filled in.
package struct AdviceRow: Sendable {
    package let action: AdviceAction
    package let text: String
    package let risk: AdviceRisk
    package let preconditions: [String]
}

/// A question that only a user can answer.
package struct QuestionRow: Sendable {
    package let text: String
    package let why: String
    package let yes: String
    package let no: String
}
