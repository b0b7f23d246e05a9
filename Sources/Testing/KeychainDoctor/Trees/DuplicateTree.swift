// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Tree T1: an item has the primary key already (`errSecDuplicateItem`).
enum DuplicateTree {
    static func diagnosis(_ examination: Examination) -> Diagnosis {
        let path = ["T1.1", "T1.2"]
        guard let holder = examination.explanation.holder else {
            return Diagnosis(.duplicateUnexplained, path: path + ["T1.7"])
        }
        let shown = Candidate(holder)
        if let lookUp = missedLookUp(holder, examination) { return lookUp.after(["T1.1"]) }
        let explanation = examination.explanation
        if examination.function == .update, let update = explanation.update {
            if update.attributes[.accessGroup] != nil {
                let groups = [VerdictNames.Key.group: holder.group.map { [$0] } ?? []]
                return Diagnosis(.duplicateOtherEntitledGroup, path: path + ["T1.3"], names: groups, about: shown)
            }
            if update.attributes[.synchronizable] != nil {
                return Diagnosis(
                    .duplicateSyncScope,
                    path: path + ["T1.3"],
                    names: [.attribute: [AttributeName.synchronizable.description]],
                    about: shown
                )
            }
        }
        if examination.call.query[PropertyKey.valueReference] != nil, examination.function == .add {
            return Diagnosis(.duplicateDerivedKey, path: path + ["T1.4"], about: shown)
        }
        let empty = emptyColumns(holder, examination)
        if !empty.isEmpty {
            return Diagnosis(
                .duplicateEmptyKeyColumn,
                path: path + ["T1.5"],
                names: [.attribute: empty],
                because: [
                    "the add does not set \(empty.map { KeyNames.constant($0) }.joined(separator: ", ")), and the item has it empty"
                ],
                about: shown
            )
        }
        guard holder.condition == .open else {
            return Diagnosis(.duplicateUnexplained, path: path + ["T1.7"], about: shown)
        }
        return Diagnosis(
            .duplicateExists,
            path: path + ["T1.6"],
            names: [.group: holder.group.map { [$0] } ?? []],
            because: [
                "the primary key of the \(examination.function == .add ? "add" : "update") is that of a stored item"
            ],
            about: shown
        )
    }

    /// The columns that distinguish items for a user.
    private static let identifying: [ItemClass: [AttributeName]] = [
        .genericPassword: [.account, .service], .internetPassword: [.account, .server],
        .key: ["atag", .applicationLabel], .certificate: [.issuer, "slnr"],
    ]

    /// The identifying columns that an add does not set, and that are empty in the existing item.
    ///
    /// The existing item has the add's own primary key, so what the add omits is also empty there.
    private static func emptyColumns(_ holder: ExplainedItem, _ examination: Examination) -> [String] {
        guard examination.function == .add else { return [] }
        return (identifying[holder.itemClass] ?? []).map(\.description)
            .filter { examination.call.query[$0] == nil }
    }

    // MARK: - The look-up before the add

    /// The last call of this client and class that was intended for the existing item and did not find it.
    private static func missedLookUp(_ holder: ExplainedItem, _ examination: Examination) -> Diagnosis? {
        for recorded in examination.call.earlierLookUps(holder.itemClass) {
            var call = recorded.examined
            call.history = examination.call.history
            guard let lookUp = try? Examination(call, examination.explain),
                let intended = lookUp.intended, intended.item.persistentReference == holder.persistentReference,
                !intended.matches
            else { continue }
            return missed(by: lookUp, holder: intended, recorded: recorded)
        }
        return nil
    }

    private static func missed(
        by lookUp: Examination,
        holder: Candidate,
        recorded: CallHistory.RecordedCall
    ) -> Diagnosis? {
        let reason =
            "\(recorded.request.operation.functionName) before it answered \(recorded.status), and did not match the item"
        if lookUp.function == .delete {
            let why =
                recorded.status == .missingEntitlement
                ? EntitlementTree.diagnosis(lookUp) : NotFoundTree.failedPredicates(of: holder, lookUp)
            var diagnosis = Diagnosis(
                .duplicateAfterMissedDelete,
                path: ["T1.2"],
                because: [reason] + (why?.because ?? []),
                about: holder
            )
            if let why {
                diagnosis.names = why.names
                diagnosis = diagnosis.adding([why.verdict] + why.also)
            }
            return diagnosis
        }
        guard let heaviest = NotFoundTree.heaviest(holder) else { return nil }
        switch heaviest {
        case .excludedGroup, .foreignGroup:
            return Diagnosis(
                .duplicateOtherEntitledGroup,
                path: ["T1.2"],
                names: [.group: holder.item.group.map { [$0] } ?? []],
                because: [reason],
                about: holder
            )
        case .synchronizable:
            return Diagnosis(
                .duplicateSyncScope,
                path: ["T1.2"],
                names: [.attribute: [AttributeName.synchronizable.description]],
                because: [reason],
                about: holder
            )
        case .attribute:
            let differences = holder.attributeDifferences
            guard differences.allSatisfy({ !$0.isKeyAttribute || $0.relation.isFormat }) else { return nil }
            return Diagnosis(
                .duplicateNonKeyLookup,
                path: ["T1.2"],
                names: [.attribute: differences.map(\.key)],
                because: [reason] + differences.prefix(2).map { NotFoundTree.sentence($0) },
                about: holder
            )
        case .itemClass, .keychain, .reference:
            return nil
        }
    }
}

extension Explanation {
    /// The item that has the primary key which an add or an update needs.
    package var holder: ExplainedItem? {
        additions.lazy.compactMap(\.holder).first ?? effect?.conflicts.first?.holder
    }
}

extension Candidate {
    /// Creates an entry for an item without a known search.
    init(_ item: ExplainedItem) {
        self.item = item
        differences = []
        distanceOfPredicates = 0
        equalKeyAttributes = 0
        isLockedAway = false
        isGuarded = false
    }
}
