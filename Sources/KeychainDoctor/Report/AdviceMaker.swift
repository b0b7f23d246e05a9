// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Makes advice, warnings and questions of a verdict's row (section 6 of the reference).
struct AdviceMaker {
    let examination: Examination
    let diagnosis: Diagnosis

    private var row: VerdictRow { diagnosis.verdict.row }

    /// Below this, advice is a question.
    private static let leastConfidence = 0.6

    /// One primary action, and at most two alternatives.
    func advice() -> [DoctorReport.Advice] {
        guard diagnosis.confidence >= Self.leastConfidence else { return [] }
        return row.advice.prefix(3).enumerated().map { index, entry in
            var advice = DoctorReport.Advice(
                action: entry.action,
                text: entry.text,
                risk: entry.risk,
                preconditions: entry.preconditions,
                why: row.why
            )
            if index == 0 { attachDictionaries(to: &advice) }
            return advice
        }
    }

    func warnings() -> [String] {
        var warnings: [String] = []
        for verdict in [diagnosis.verdict] + diagnosis.also {
            for warning in verdict.row.warnings where !warnings.contains(warning) { warnings.append(warning) }
        }
        return warnings
    }

    func questions() -> [DoctorReport.Question] {
        var rows = row.questions
        if diagnosis.confidence < Self.leastConfidence, rows.isEmpty {
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

    /// The update that does what an add cannot, because its item is there.
    private func attachUpdate(to advice: inout DoctorReport.Advice) {
        guard examination.function == .add, let query = keyQuery() else { return }
        advice.dictionaries["query"] = query
        advice.dictionaries["attributes"] = newValues()
        advice.function = ItemFunction.update.rawValue
    }

    /// The call's query without the entries that make it invalid; `nil` where it is not they alone, and for a delete,
    /// which would take what nobody has looked at.
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

    /// The call's query with what the verdict names put right; `nil` where no item says what is right.
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

    /// What an add brings that is no part of the primary key.
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
