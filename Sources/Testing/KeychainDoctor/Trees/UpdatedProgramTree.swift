// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Tree T5: items that are gone after an update of the program, the device or its owner; T2 leads here.
enum UpdatedProgramTree {
    /// The group of the item is in the client's list, and the query names another one.
    static func excludedGroup(_ item: Candidate, _ examination: Examination) -> Diagnosis {
        let group = item.item.group
        if let renamed = renamed(item, than: [examination.call.query.accessGroup].compactMap(\.self)) { return renamed }
        let names = [VerdictNames.Key.group: group.map { [$0] } ?? []]
        let list = examination.client.accessGroups
        if let group, let previous = examination.previousGroups?.groups, previous.first == group, list.contains(group),
            list.first != group
        {
            return Diagnosis(
                .defaultGroupChanged,
                path: ["T5.2"],
                names: names,
                because: [
                    "the first group was \(ItemText.name(group)), and is \(list.first.map { ItemText.name($0) } ?? "none") now"
                ]
            )
        }
        let because = ["the item is in \(group.map { ItemText.name($0) } ?? "another group of the list")"]
        if examination.hasAdd(of: item.item, by: examination.call.clientName) {
            return Diagnosis(.groupAsymmetric, path: ["T2.6"], names: names, because: because)
        }
        return Diagnosis(.groupExcludedByQuery, path: ["T2.6"], names: names, because: because)
    }

    /// The group of the item is not in the client's list.
    static func foreignGroup(_ item: Candidate, _ examination: Examination) -> Diagnosis {
        guard let group = item.item.group else { return Diagnosis(.groupNotEntitled, path: ["T2.6"]) }
        let names = [VerdictNames.Key.group: [group]]
        let because = ["the item is in \(ItemText.name(group)), which is not in the client's list"]
        func found(_ verdict: VerdictID, _ step: String) -> Diagnosis {
            Diagnosis(verdict, path: [step], names: names, because: because)
        }
        if examination.call.otherGroups?.contains(group) ?? false { return found(.shareMismatch, "T4.4") }
        if let renamed = renamed(item, than: examination.client.accessGroups) { return renamed }
        let isUnderAnotherPrefix =
            GroupName(group).underAnotherPrefix(in: examination.client.accessGroups) != nil
        if let previous = examination.previousGroups?.groups {
            if isUnderAnotherPrefix { return found(.prefixChanged, "T5.1") }
            if previous.contains(group) { return found(.oldGroupRemoved, "T5.1") }
        }
        if let writer = examination.writer(of: item.item), writer != examination.call.clientName {
            var diagnosis = found(.otherTargetWrote, "T5.5")
            diagnosis.names[.client] = [writer]
            return diagnosis
        }
        if isUnderAnotherPrefix { return found(.prefixChanged, "T5.1") }
        return found(.groupNotEntitled, "T2.6")
    }

    /// Step T5.6: the item is in the group of a program's file name, and the client has that of another name.
    private static func renamed(_ item: Candidate, than groups: [String]) -> Diagnosis? {
        guard let group = item.item.group, let program = ProgramName(group: group, otherThanOf: groups) else {
            return nil
        }
        return Diagnosis(
            .storedUnderOtherName,
            path: ["T5.6"],
            names: [.group: [group], .client: [program.name]],
            because: ["the item is in the access group of the file name \(ItemText.name(program.name))"]
        )
    }

    /// The same of a client that was not given, and so has every group: the items that match are all of programs by
    /// their file names, so that a program of another name does not find them.
    static func ofNamedPrograms(_ examination: Examination) -> Diagnosis? {
        guard examination.call.clientSource == .assumed, examination.call.query.accessGroup == nil else { return nil }
        let groups = Set(examination.matches.compactMap(\.item.group))
        let programs = groups.compactMap { ProgramName(group: $0)?.name }
        guard !programs.isEmpty, programs.count == groups.count else { return nil }
        return Diagnosis(
            .storedUnderOtherName,
            path: ["T5.6"],
            names: [.group: groups.sorted(), .client: programs.sorted()],
            confidence: VerdictConfidence.assumed,
            because: [
                "every item that matches is in the access group of a file name: "
                    + programs.sorted().prefix(3).map { ItemText.name($0) }.joined(separator: ", "),
                "a program whose file has this name finds it",
            ],
            about: examination.matches.first
        )
    }

    /// Step T5.3: the given previous list is the current one, so the query has changed.
    static func changedQuery(
        _ kind: Difference.Kind,
        of item: Candidate,
        in examination: Examination
    ) -> Diagnosis? {
        guard let previous = examination.call.previousGroups, previous == examination.client.accessGroups,
            kind != .keychain, kind != .reference
        else { return nil }
        let keys = item.differences.filter { $0.kind == kind }.map(\.key)
        return Diagnosis(
            .queryChanged,
            path: ["T5.3"],
            names: [.attribute: keys],
            because: ["the access groups are the same before and after"]
        )
    }

    /// Step T5.4: the item's keys went for good.
    static func invalidated(_ level: Accessibility) -> Diagnosis {
        Diagnosis(
            .protectionInvalidated,
            path: ["T2.3", "T5.4"],
            names: [.level: [level.rawValue]],
            because: ["the history stored the item under \(level.constantName)"]
        )
    }
}
