// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Tree T4: an entitlement is missing (`errSecMissingEntitlement`).
enum EntitlementTree {
    static func diagnosis(_ examination: Examination) -> Diagnosis {
        let list = examination.client.accessGroups
        if list.isEmpty || list == [PropertyKey.accessGroupToken] {
            return Diagnosis(
                .noGroupsAtAll,
                path: ["T4.1"],
                confidence: VerdictConfidence.certain,
                because: ["the client's list of access groups is empty"]
            )
        }
        let path = ["T4.1", "T4.2"]
        guard let (side, group) = missingGroup(examination) else {
            // No group is missing, but a private entitlement for an attribute.
            return InvalidQuery.diagnosis(examination, of: .missingEntitlement)?.after(path)
                ?? Diagnosis(.statusUnexplained, path: path)
        }
        let sides = examination.function == .update ? [side] : []
        func found(_ verdict: VerdictID, _ named: String) -> Diagnosis {
            Diagnosis(
                verdict,
                path: path,
                names: [.group: [named], .side: sides],
                because: [
                    "the call names \(ItemText.name(group))",
                    "the client's list is \(list.map { ItemText.name($0) }.joined(separator: ", "))",
                ]
            )
        }
        let name = GroupName(group)
        if let full = name.prefixed(in: list) { return found(.groupPrefixMissing, full) }
        if let other = name.underAnotherPrefix(in: list) { return found(.groupPrefixWrong, other) }
        if name.isApplicationGroup { return found(.appGroupNotEntitled, group) }
        let wasListed = examination.previousGroups?.groups.contains(group) ?? false
        return found(.groupNotListed, group).adding(wasListed ? [.oldGroupRemoved] : [])
    }

    /// Step T4.3: the status is reported, although the given list entitles the client.
    static func unappliedSignature(_ examination: Examination) -> Diagnosis? {
        guard examination.call.reportedStatus == .missingEntitlement, examination.replayed != .missingEntitlement else {
            return nil
        }
        return Diagnosis(
            .signatureNotApplied,
            path: ["T4.3"],
            because: ["the replay answers \(examination.replayed) with the groups that were given"]
        )
    }

    /// The group that is named and not in the list: in the query, or as an update's target.
    private static func missingGroup(_ examination: Examination) -> (side: String, group: String)? {
        let list = examination.client.accessGroups
        let key = AttributeName.accessGroup.description
        let parts = [("query", examination.call.query[key]), ("update", examination.call.attributes?[key])]
        for (side, value) in parts {
            guard let group = value?.text, !list.contains(group) else { continue }
            return (side, group)
        }
        // The group of hardware tokens is for reading.
        for (side, value) in parts where value?.text == PropertyKey.accessGroupToken {
            return (side, PropertyKey.accessGroupToken)
        }
        return nil
    }
}

extension PropertyValue {
    /// The text of a string, or of data that is text.
    fileprivate var text: String? {
        switch self {
        case .string(let text): text
        case .data(let data): String(validating: data.unprotectedCopy, as: UTF8.self)
        default: nil
        }
    }
}
