// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Calls that succeed, and surprise nevertheless.
///
/// The first finding is the verdict, the later ones are `also`.
enum SuccessTree {
    static func diagnosis(_ examination: Examination) -> Diagnosis {
        var findings: [Diagnosis] = []
        switch examination.function {
        case .copyMatching:
            findings += [unexpectedResult(examination), ambiguousMatch(examination)].compactMap(\.self)
        case .add, .update, .delete: break
        }
        findings += [simulator(examination)].compactMap(\.self)
        switch examination.function {
        case .copyMatching: findings += [survivor(examination)].compactMap(\.self)
        case .update: findings += updates(examination)
        case .delete: findings += deletes(examination)
        case .add: break
        }
        findings += [UpdatedProgramTree.ofNamedPrograms(examination)].compactMap(\.self)
        var diagnosis =
            findings.first
            ?? Diagnosis(.nothingWrong, path: ["5.7"], confidence: VerdictConfidence.certain, because: [], about: nil)
        diagnosis = diagnosis.adding(findings.dropFirst().map(\.verdict))
        if deletesUnusableItems(examination) { diagnosis = diagnosis.adding([.deleteNeedsNoKey]) }
        return diagnosis
    }

    // MARK: - Copies

    private static func unexpectedResult(_ examination: Examination) -> Diagnosis? {
        guard let expected = examination.call.expectedResult, let search = examination.explanation.search else {
            return nil
        }
        if search.returns.isEmpty {
            return Diagnosis(
                .noReturnType,
                path: ["5.1"],
                confidence: VerdictConfidence.certain,
                because: ["no kSecReturn… is true"]
            )
        }
        let given = ResultKinds.of(search, examination.matches.first?.item)
        guard !given.contains(expected) else { return nil }
        let text = given.first.map(\.rawValue) ?? "nothing"
        return Diagnosis(
            .resultTypeMismatch,
            path: ["5.1"],
            names: [.attribute: search.returns],
            confidence: VerdictConfidence.certain,
            because: [
                "\(search.returns.joined(separator: ", ")) give \(text)", "the caller expects \(expected.rawValue)",
            ]
        )
    }

    private static func ambiguousMatch(_ examination: Examination) -> Diagnosis? {
        guard let search = examination.explanation.search, search.limit == .one, !search.returns.isEmpty,
            examination.matchCount > 1
        else { return nil }
        let items = examination.matches.map(\.item)
        return Diagnosis(
            .ambiguousMatch,
            path: ["5.2"],
            names: [.attribute: differingKeyColumns(items)],
            because: ["\(examination.matchCount) items match, and one comes back"]
        )
    }

    private static func survivor(_ examination: Examination) -> Diagnosis? {
        guard let history = examination.call.history, let item = examination.matches.first?.item else { return nil }
        let writtenAt = examination.stored?.items.last { $0.isSame(as: item) }?.writtenAt ?? -1
        let isReinstalled = history.events.indices.contains { index in
            if index > writtenAt, case .reinstalled = history.events[index] { true } else { false }
        }
        guard isReinstalled else { return nil }
        return Diagnosis(
            .survivesUninstall,
            path: ["5.4"],
            because: ["the app was installed again after the item was written"]
        )
    }

    // MARK: - The simulator

    /// The behaviour of a device in the same state.
    private static func simulator(_ examination: Examination) -> Diagnosis? {
        guard examination.call.platform == .simulator, examination.function != .delete else { return nil }
        let device = examination.explanation.device
        let touched = examination.matches.map(\.item) + (examination.explanation.effect?.items ?? [])
        var levels = touched.compactMap(\.protection)
        levels += examination.explanation.additions.compactMap(\.attributes.protection)
        if let level = examination.explanation.update?.attributes.protection { levels.append(level) }
        if let level = levels.first(where: { !$0.isAvailable(on: device, examination.hasPasscode) }) {
            return Diagnosis(
                .simulatorNotEnforced,
                path: ["5.3"],
                names: [.level: [level.rawValue]],
                because: [
                    "the device is \(device.lockState.rawValue)\(examination.hasPasscode ? "" : ", and has no passcode")",
                    "the level is \(level.constantName)",
                ]
            )
        }
        guard let guarded = touched.first(where: { $0.accessControl?.requiresAuthentication ?? false }) else {
            return nil
        }
        let obstacle = obstacle(of: guarded, examination)
        return Diagnosis(
            obstacle == nil ? .simulatorSkipsACL : .simulatorNotEnforced,
            path: ["5.3"],
            names: [.level: [guarded.level]],
            because: ["the item has an access control that requires the user"] + [obstacle].compactMap(\.self),
            about: Candidate(guarded)
        )
    }

    /// Why a device would fail without a prompt.
    private static func obstacle(of item: ExplainedItem, _ examination: Examination) -> String? {
        let device = examination.explanation.device
        if examination.call.isUnattended { return "no prompt is possible in the background" }
        if InteractionTree.isAskingForbidden(examination) { return "the call does not allow interaction" }
        if PersonTree.isBoundToOtherSet(item, than: device.biometry.enrolledSet) {
            return "another set of biometry is enrolled than when it was stored"
        }
        let ofOwner: AccessControlFlags = [.userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode]
        let flags = item.accessControl?.constraints?.flags ?? []
        let isPasswordEnough = flags.contains(.or) && flags.contains(.applicationPassword)
        if !examination.hasPasscode, !flags.isDisjoint(with: ofOwner), !isPasswordEnough { return "no passcode is set" }
        return nil
    }

    // MARK: - Updates and deletes

    private static func updates(_ examination: Examination) -> [Diagnosis] {
        guard let attributes = examination.call.attributes else { return [] }
        var findings: [Diagnosis] = []
        if attributes[AttributeName.accessControl.description] != nil {
            findings.append(
                Diagnosis(
                    .addOnlyAttribute,
                    path: ["5.5"],
                    names: [.attribute: [AttributeName.accessControl.description]],
                    because: ["the update sets an access control"]
                )
            )
        }
        let given = attributes.entries.keys.sorted()
        if given.allSatisfy({ isIgnored($0, attributes[$0]) }) {
            findings.append(
                Diagnosis(
                    .updateZeroVisibleChange,
                    path: ["5.5"],
                    names: [.attribute: given],
                    confidence: VerdictConfidence.certain,
                    because: [given.isEmpty ? "the update sets nothing" : "all that the update sets is ignored"]
                )
            )
        }
        let moving: Set<String> = ["agrp", "sync", "pdmn"]
        if examination.touchedCount > 1,
            given.contains(where: { !moving.contains($0) && !isIgnored($0, attributes[$0]) })
        {
            findings.append(tooWide(.updateScopeTooWide, at: "5.5", in: examination))
        }
        return findings
    }

    /// Whether an entry of an update changes nothing that shows.
    private static func isIgnored(_ key: String, _ value: PropertyValue?) -> Bool {
        switch key {
        case AttributeName.modificationDate.description, AttributeName.user.description, "persistref",
            AttributeName.digest.description, AttributeName.tombstone.description,
            PropertyKey.useDataProtectionKeychain:
            true
        case AttributeName.synchronizable.description: value == .string(PropertyKey.synchronizableAny)
        default: false
        }
    }

    private static func deletes(_ examination: Examination) -> [Diagnosis] {
        var findings: [Diagnosis] = []
        if examination.touchedCount > 1 { findings.append(tooWide(.deleteScopeTooWide, at: "5.6", in: examination)) }
        if let twin = twin(examination) {
            findings.append(
                Diagnosis(
                    .deleteOtherRow,
                    path: ["5.6"],
                    names: [.group: twin.group.map { [$0] } ?? []],
                    because: ["an item with the same key attributes stays: \(ItemText.short(twin))"],
                    about: Candidate(twin)
                )
            )
        }
        return findings
    }

    private static func tooWide(_ verdict: VerdictID, at place: String, in examination: Examination) -> Diagnosis {
        let items = examination.explanation.effect?.items ?? []
        return Diagnosis(
            verdict,
            path: [place],
            names: [.attribute: differingKeyColumns(items)],
            because: ["the query matches \(examination.touchedCount) items"]
        )
    }

    /// An item that stays, that the client can access, and that has the key attributes of a deleted one.
    ///
    /// The query need not name key attributes, so the item may not be one of its near misses: it is searched for by the
    /// key attributes of the first deleted items.
    private static func twin(_ examination: Examination) -> ExplainedItem? {
        let gone = examination.explanation.effect?.items ?? []
        let references = Set(gone.map(\.persistentReference))
        func staying(_ items: some Sequence<ExplainedItem>) -> ExplainedItem? {
            items.first { item in
                item.isInClientGroups && !references.contains(item.persistentReference)
                    && gone.contains { $0.hasSameKeyAttributes(as: item) }
            }
        }
        if let twin = staying((examination.nearMisses?.near ?? []).map(\.item)) { return twin }
        for item in gone.prefix(maximumLookedUpItems) {
            guard let query = item.keyQuery else { continue }
            let request = KeychainRequest(.copyMatching(query), client: examination.client)
            guard let found = try? examination.explain(request).search?.candidates else { continue }
            if let twin = staying(found) { return twin }
        }
        return nil
    }

    /// The maximum number of items whose twins are searched for.
    private static let maximumLookedUpItems = 20

    /// Whether a delete removes items that are currently unusable.
    private static func deletesUnusableItems(_ examination: Examination) -> Bool {
        guard examination.function == .delete else { return false }
        return examination.explanation.effect?.items.contains { $0.condition == .locked } ?? false
    }

    /// The primary key columns in which items differ, including group and synchronizability; an identity is one item.
    static func differingKeyColumns(_ items: [ExplainedItem]) -> [String] {
        guard let first = items.first else { return [] }
        let names = first.itemClass.keyColumns + [.accessGroup, .synchronizable]
        let schema = ItemSchema.of(first.itemClass)
        return names.filter { name in
            let values = items.map { $0.value(of: name) }
            guard let column = schema[name], let value = values[0] else { return Set(values).count > 1 }
            return values.contains { $0.map { !column.isEqual($0, value) } ?? true }
        }
        .map(\.description)
    }
}

extension ExplainedItem {
    /// A value, also of what is known of an item that does not open.
    func value(of name: AttributeName) -> AttributeValue? {
        switch name {
        case .accessGroup: group.map { .string($0) } ?? attributes?[name]
        case .synchronizable: isSynchronizable.map { .number(.integer($0 ? 1 : 0)) } ?? attributes?[name]
        default: attributes?[name]
        }
    }

    /// A query for its key attributes, local and synchronizable; `nil` of an item that does not open.
    fileprivate var keyQuery: PropertyDictionary? {
        guard let attributes else { return nil }
        var query: PropertyDictionary = [
            PropertyKey.itemClass: .string(itemClass.rawValue),
            AttributeName.synchronizable.description: .string(PropertyKey.synchronizableAny),
        ]
        for name in itemClass.keyColumns {
            guard let value = attributes[name] else { continue }
            query[name.description] = value.property
        }
        return query
    }

    func hasSameKeyAttributes(as other: ExplainedItem) -> Bool {
        guard itemClass == other.itemClass, let mine = attributes, let theirs = other.attributes else { return false }
        let schema = ItemSchema.of(itemClass)
        return itemClass.keyColumns.allSatisfy { name in
            guard let column = schema[name], let left = mine[name], let right = theirs[name] else {
                return mine[name] == theirs[name]
            }
            return column.isEqual(left, right)
        }
    }
}

extension Accessibility {
    /// Whether a device has the keys of the level.
    fileprivate func isAvailable(on device: ExplainedDevice, _ hasPasscode: Bool) -> Bool {
        if self == .whenPasscodeSetThisDeviceOnly, !hasPasscode { return false }
        return switch device.lockState {
        case .unlocked: true
        case .locked: outlivesLock
        case .beforeFirstUnlock: isAlwaysAvailable
        }
    }
}

extension Examination {
    /// How many items an update or a delete touches; a pair of an identity is one.
    var touchedCount: Int {
        let effect = explanation.effect
        let count = effect?.count ?? 0
        let isOfIdentities = explanation.search?.itemClass == .identity
        let own = isOfIdentities ? max(effect?.byClass[.key] ?? 0, effect?.byClass[.certificate] ?? 0) : count
        return fileKeychain?.touchedCount(own, self) ?? own
    }
}

/// The type of a result (semantics, section 4.2).
enum ResultKinds {
    /// The result types of a search, the most specific first; empty for no result at all.
    static func of(_ search: ExplainedSearch, _ item: ExplainedItem?) -> [ResultType] {
        guard search.limit == .one else { return [.array, .any] }
        let flags = Set(search.returns)
        guard flags.count == 1, let flag = flags.first else { return [.dictionary, .any] }
        switch flag {
        case PropertyKey.returnAttributes: return [.dictionary, .any]
        case PropertyKey.returnData: return item?.hasData == false ? [] : [.data, .any]
        case PropertyKey.returnPersistentReference: return [.data, .any]
        default:
            switch search.itemClass {
            case .key: return [.key, .any]
            case .certificate: return [.certificate, .any]
            case .identity: return [.identity, .any]
            case .genericPassword, .internetPassword: return []
            }
        }
    }
}
