// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Tree T3: authentication is required, or keys are locked (`errSecInteractionNotAllowed`).
enum InteractionTree {
    static func diagnosis(_ examination: Examination) -> Diagnosis {
        var path = ["T3.1"]
        let explanation = examination.explanation
        let blocked = blocked(examination)
        if let blocked, blocked.isGuarded, let guarded = guarded(blocked, examination) { return guarded }
        if blocked == nil, explanation.authentication != nil, let guarded = guarded(nil, examination) { return guarded }
        guard let level = blockedLevel(blocked, examination) else {
            return Diagnosis(.interactionUnexplained, path: path, about: blocked)
        }
        let names = [VerdictNames.Key.level: [level.rawValue]]
        let isWrite = examination.function != .copyMatching
        path.append("T3.2")
        if explanation.device.lockState == .beforeFirstUnlock {
            var also: [VerdictID] = level.outlivesLock ? [] : [.lockedLevelTooStrict]
            if isWrite { also.append(.lockedWrite) }
            let because = ["the device was not unlocked since it started", "the level is \(level.constantName)"]
            return Diagnosis(.beforeFirstUnlock, path: path, names: names, because: because, about: blocked).adding(
                also
            )
        }
        let because = ["the device is locked", "the level is \(level.constantName)"]
        guard isWrite else {
            return Diagnosis(
                .lockedLevelTooStrict,
                path: path + ["T3.3"],
                names: names,
                because: because,
                about: blocked
            )
        }
        return Diagnosis(.lockedWrite, path: path + ["T3.3", "T3.4"], names: names, because: because, about: blocked)
            .adding(examination.function == .update ? [.lockedLevelTooStrict] : [])
    }

    /// The obstacles to a call that would find the item, in this tree's terms.
    static func obstacles(of item: Candidate, _ examination: Examination) -> [VerdictID] {
        if item.isGuarded { return guarded(item, examination).map { [$0.verdict] } ?? [.aclNeedsUser] }
        guard item.isLockedAway else { return [] }
        let isBeforeFirst = examination.explanation.device.lockState == .beforeFirstUnlock
        switch examination.function {
        case .copyMatching: return [isBeforeFirst ? .beforeFirstUnlock : .lockedLevelTooStrict]
        case .add, .update: return [isBeforeFirst ? .beforeFirstUnlock : .lockedWrite]
        case .delete: return []
        }
    }

    /// The item that the query matches and that cannot be used.
    private static func blocked(_ examination: Examination) -> Candidate? {
        let search = examination.explanation.search
        let effect = examination.explanation.effect?.items ?? []
        let touched = search.map { search in effect.map { Candidate($0, search, in: examination.call) } } ?? []
        let items = examination.matches + touched
        return items.first(where: \.isLockedAway) ?? items.first(where: \.isGuarded)
    }

    /// The level whose keys are locked: of the item, of the new one, or of the updated one.
    private static func blockedLevel(_ item: Candidate?, _ examination: Examination) -> Accessibility? {
        let device = examination.explanation.device
        let update = examination.explanation.update.map(\.attributes.protection)
        let candidates = [
            item?.isLockedAway == true ? item?.item.protection : nil,
            examination.explanation.additions.lazy.compactMap(\.attributes.protection)
                .first { !device.availableLevels.contains($0) },
            update ?? nil,
        ]
        if let level = candidates.compactMap(\.self).first(where: { !device.availableLevels.contains($0) }) {
            return level
        }
        // A change that has to check something it cannot decrypt, such as the item with its primary key.
        guard device.lockState != .unlocked, examination.function != .copyMatching else { return nil }
        return examination.explanation.holder?.protection
            ?? examination.explanation.additions.first?.attributes.protection
    }

    /// An access control that requires a user who cannot be prompted.
    private static func guarded(_ item: Candidate?, _ examination: Examination) -> Diagnosis? {
        let call = examination.call
        let because = [
            "the item's access control requires the user",
            call.isUnattended ? "no prompt is possible in the background" : "the call forbids asking",
        ]
        if call.isUnattended || isForbiddenByQuery(examination) {
            return Diagnosis(.aclNeedsUser, path: ["T3.1"], because: because, about: item)
        }
        return call.query.hasSilentContext
            ? Diagnosis(.aclProbeHit, path: ["T3.1"], because: because, about: item) : nil
    }

    /// Whether the query or its context does not allow interaction.
    static func isAskingForbidden(_ examination: Examination) -> Bool {
        isForbiddenByQuery(examination) || examination.call.query.hasSilentContext
    }

    private static func isForbiddenByQuery(_ examination: Examination) -> Bool {
        examination.explanation.search?.authenticationUI ?? .allow != .allow || examination.call.query.forbidsAsking
    }
}

extension PropertyDictionary {
    /// Whether its context allows no interaction.
    fileprivate var hasSilentContext: Bool {
        guard case .authenticationContext(let context)? = self[PropertyKey.useAuthenticationContext] else {
            return false
        }
        return context.settings.interactionNotAllowed
    }

    /// Whether the query does not allow interaction.
    fileprivate var forbidsAsking: Bool {
        switch self[PropertyKey.useAuthenticationUI] {
        case .string(PropertyKey.useAuthenticationUIFail): true
        case nil: self[PropertyKey.useNoAuthenticationUI] == .boolean(true)
        default: false
        }
    }
}

extension Attributes {
    /// The level that attributes name.
    var protection: Accessibility? {
        switch (self[.accessControl], self[.accessible]) {
        case (.accessControl(let accessControl)?, _): accessControl.protection
        case (_, .string(let text)?): Accessibility(rawValue: text)
        default: nil
        }
    }
}

extension ExplainedItem {
    /// The level, as a value.
    var protection: Accessibility? { Accessibility(rawValue: level) }
}
