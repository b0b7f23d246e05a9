// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Makes advice, warnings and questions of a verdict's row.
struct AdviceMaker {
    let examination: Examination
    let diagnosis: Diagnosis

    private var row: VerdictRow { diagnosis.verdict.row }

    /// Below this, advice is a question.
    private static let minimumConfidence = 0.6

    /// One primary action, and at most two alternatives.
    func advice() -> [DoctorReport.Advice] {
        guard diagnosis.confidence >= Self.minimumConfidence else { return [] }
        if isMissedChange { return adviceOfMissedChange() }
        return row.advice.prefix(3).enumerated().map { index, entry in
            var advice = DoctorReport.Advice(entry, why: row.why)
            if index == 0 { attachDictionaries(to: &advice) }
            return advice
        }
    }

    // MARK: - Changes that found nothing

    /// Whether it is a delete or an update that found nothing: a query that finds something removes or overwrites it.
    private var isMissedChange: Bool {
        examination.status == .itemNotFound && [.delete, .update].contains(examination.function)
    }

    /// Whether the nearest item is another one by its class or its key attributes, if only by their format.
    private var isOfOtherIdentity: Bool {
        diagnosis.candidate?.differences.contains { $0.isKeyAttribute || $0.kind == .itemClass } ?? false
    }

    /// The advice if nothing was found.
    ///
    /// A delete that finds nothing is already done; the dictionary for another delete is never printed. An update is
    /// printed if it affects the same item, with the values that it would overwrite.
    private func adviceOfMissedChange() -> [DoctorReport.Advice] {
        var made = row.advice.prefix(2).enumerated().map { index, entry in
            var advice = DoctorReport.Advice(entry, why: row.why)
            guard entry.action == .changeQuery else { return advice }
            let isDelete = examination.function == .delete
            advice.risk = .dataLossIfWrong
            let verb = isDelete ? "delete" : "overwrite"
            advice.preconditions.append("the item in the store is the one to \(verb)")
            if let count = countAfterCorrection {
                advice.text += " The call would then \(verb) \(count) \(count == 1 ? "item" : "items")."
            }
            if index == 0, !isDelete, !isOfOtherIdentity { attachDictionaries(to: &advice) }
            return advice
        }
        if examination.function == .delete {
            let done = AdviceRow(
                action: .none,
                text: "Take errSecItemNotFound of a delete as done: nothing that matches is stored.",
                risk: .none,
                preconditions: []
            )
            made.insert(DoctorReport.Advice(done, why: row.why), at: 0)
        }
        return made
    }

    /// How many items the call would touch with the query that would find the nearest one.
    private var countAfterCorrection: Int? {
        guard let query = correctedQuery() else { return nil }
        var request = examination.call.request
        switch request.operation {
        case .delete: request.operation = .delete(query)
        case .update(_, let attributes): request.operation = .update(query, attributes: attributes)
        default: return nil
        }
        return (try? examination.explain(request))?.effect?.count
    }

    private var questionOfMissedChange: QuestionRow? {
        guard isMissedChange, isOfOtherIdentity, row.advice.first?.action == .changeQuery else { return nil }
        let verb = examination.function == .delete ? "delete" : "overwrite"
        return QuestionRow(
            text: "Is the item in the store really the one that the call was to \(verb)?",
            why: "its class or a key attribute differs, so that it may be another item",
            yes: "name it by its own key attributes",
            no: "leave it alone"
        )
    }

    func warnings() -> [String] {
        var warnings: [String] = []
        for verdict in [diagnosis.verdict] + diagnosis.also {
            for warning in verdict.row.warnings where !warnings.contains(warning) { warnings.append(warning) }
        }
        return warnings
    }

    func questions() -> [DoctorReport.Question] {
        var rows = row.questions + [questionOfMissedChange].compactMap(\.self)
        if let question = UnknownValues.question(examination) { rows.insert(question, at: 0) }
        if diagnosis.confidence < Self.minimumConfidence, rows.isEmpty {
            rows = row.advice.prefix(1).map { entry in
                QuestionRow(
                    text: "Would this be right: \(entry.text)",
                    why: "the evidence is thin",
                    yes: "do it",
                    no: "leave it"
                )
            }
        }
        return rows.map { DoctorReport.Question(text: $0.text, why: $0.why, yes: $0.yes, no: $0.no) }
    }

    // MARK: - Dictionaries to paste

    private func attachDictionaries(to advice: inout DoctorReport.Advice) {
        switch advice.action {
        case .changeQuery where examination.status == .duplicateItem && examination.function == .add:
            attachUpdate(to: &advice)
        case .changeQuery:
            guard let query = correctedQuery() ?? queryWithoutOffenders() else { return }
            advice.dictionaries["query"] = query
            if let attributes = examination.call.attributes { advice.dictionaries["attributes"] = attributes }
            advice.function = examination.function.rawValue
        case .updateItem: attachUpdate(to: &advice)
        default: break
        }
    }

    /// Attaches the update to use instead of an add, because the item already exists.
    private func attachUpdate(to advice: inout DoctorReport.Advice) {
        guard examination.function == .add, let query = keyQuery() else { return }
        advice.dictionaries["query"] = query
        advice.dictionaries["attributes"] = newValues()
        advice.function = ItemFunction.update.rawValue
    }

    /// The call's query without the entries that make it invalid; `nil` if other entries are invalid too, and for a
    /// delete, which would remove items that have not been examined.
    private func queryWithoutOffenders() -> PropertyDictionary? {
        guard [.queryInvalid, .attributeNotInClass].contains(diagnosis.verdict), examination.function != .delete else {
            return nil
        }
        var query = examination.call.query
        let offenders = diagnosis.names[.attribute]
        guard !offenders.isEmpty, offenders.allSatisfy({ query[$0] != nil && $0 != PropertyKey.itemClass }) else {
            return nil
        }
        for key in offenders { query[key] = nil }
        return query
    }

    /// The call's query with the verdict's entries corrected; `nil` if no item shows the correct value.
    private func correctedQuery() -> PropertyDictionary? {
        guard examination.function != .add, let item = diagnosis.candidate, !item.differences.isEmpty else {
            return nil
        }
        var query = examination.call.query
        for difference in item.differences {
            switch difference.kind {
            case .itemClass: query[PropertyKey.itemClass] = .string(item.item.itemClass.rawValue)
            case .attribute:
                let isRight = difference.isKeyAttribute || difference.relation.isFormat
                query[difference.key] = isRight ? difference.stored?.property : nil
            case .excludedGroup, .foreignGroup:
                query[difference.key] = item.item.isInClientGroups ? item.item.group.map { .string($0) } : nil
            case .synchronizable: query[difference.key] = .string(PropertyKey.synchronizableAny)
            case .keychain: query[difference.key] = nil
            case .reference: break
            }
        }
        for key in query.entries.keys where isUnsupported(key, by: item.item.itemClass) { query[key] = nil }
        return query
    }

    private func isUnsupported(_ key: String, by itemClass: ItemClass) -> Bool {
        guard let name = AttributeName(key), key != PropertyKey.useDataProtectionKeychain else { return false }
        return ItemSchema.of(itemClass)[name] == nil
    }

    /// A query for the item that is in the way, by its key attributes.
    private func keyQuery() -> PropertyDictionary? {
        guard let addition = examination.explanation.additions.first else { return nil }
        var query: PropertyDictionary = [PropertyKey.itemClass: .string(addition.itemClass.rawValue)]
        for name in addition.itemClass.keyColumns + [.accessGroup, .synchronizable] {
            guard let value = addition.attributes[name], !ItemText.isEmpty(value) else { continue }
            query[name.description] = value.property
        }
        return query
    }

    /// The attributes of an add that are not part of the primary key.
    private func newValues() -> PropertyDictionary {
        let itemClass = examination.explanation.additions.first?.itemClass
        let keys = Set((itemClass?.keyColumns ?? []).map(\.description) + ["agrp", "sync"])
        let entries = examination.call.query.entries.filter { key, _ in
            key == PropertyKey.valueData
                || key.utf8.count == 4 && !keys.contains(key) && key != PropertyKey.useDataProtectionKeychain
                    && key != AttributeName.accessControl.description
        }
        return PropertyDictionary(entries)
    }
}
