// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Step T2.3, check C13: what the history shows about an identity that is not in the store.
enum HistoryOfAnItem {
    /// Its last known state.
    private enum Fate {
        case addFailed(CallHistory.RecordedCall)
        case deleted(CallHistory.RecordedCall, count: Int)
        /// A delete by a persistent reference may have been its.
        case perhapsDeleted(CallHistory.RecordedCall)
        case invalidated(Accessibility)
    }

    static func diagnosis(_ examination: Examination) -> Diagnosis? {
        guard let history = examination.call.history, let stored = examination.stored,
            let query = NamedAttributes(examination.call.query), let fate = fate(of: query, in: history, stored: stored)
        else { return nil }
        switch fate {
        case .addFailed(let call):
            return Diagnosis(
                .addNeverSucceeded,
                path: ["T2.3"],
                names: [.status: ["\(call.status)"], .client: [call.client]],
                because: ["the add\(at(call)) answered \(call.status)"]
            )
        case .deleted(let call, let count):
            let also: [VerdictID] = count > 1 ? [.deleteScopeTooWide] : []
            let keys = call.examined.query.entries.keys.filter { $0.utf8.count == 4 }.sorted()
            return Diagnosis(
                .wasDeleted,
                path: ["T2.3"],
                names: [.client: [call.client]],
                because: [
                    "\(call.client) called SecItemDelete\(at(call)) by \(keys.map { KeyNames.constant($0) }.joined(separator: ", "))",
                    "it took \(count) \(count == 1 ? "item" : "items")",
                ]
            )
            .adding(also)
        case .perhapsDeleted(let call):
            return Diagnosis(
                .wasDeleted,
                path: ["T2.3"],
                names: [.client: [call.client]],
                confidence: VerdictConfidence.assumed,
                because: [
                    "\(call.client) called SecItemDelete\(at(call)) by a persistent reference after the add",
                    "the history does not tell which item that was",
                ]
            )
        case .invalidated(let level):
            return UpdatedProgramTree.invalidated(level)
        }
    }

    /// Whether the history stored an item that the query does not contradict, and knows of nothing that took it.
    static func isStored(_ examination: Examination) -> Bool {
        guard let stored = examination.stored, let query = NamedAttributes(examination.call.query) else { return false }
        return stored.items.contains {
            $0.removal == nil && $0.itemClass == query.itemClass && !contradicts(query, $0.attributes)
        }
    }

    private static func at(_ call: CallHistory.RecordedCall) -> String { call.time.map { " at \($0)" } ?? "" }

    private static func fate(of query: NamedAttributes, in history: CallHistory, stored: StoredByHistory) -> Fate? {
        let ours = stored.items.filter { $0.itemClass == query.itemClass && !contradicts(query, $0.attributes) }
        // The last event counts, not the last store.
        if let last = ours.max(by: { ($0.removedAt ?? $0.writtenAt) < ($1.removedAt ?? $1.writtenAt) }) {
            switch last.removal {
            case .deleted(let call, let count): return .deleted(call, count: count)
            case .invalidated: return .invalidated(last.level)
            case nil:
                return stored.deletesByReference.last { $0.itemClass == last.itemClass && $0.index > last.writtenAt }
                    .map { .perhapsDeleted($0.call) }
            }
        }
        var fate: Fate?
        for (_, call) in history.calls {
            guard let named = call.named, named.itemClass == query.itemClass,
                !contradicts(query, named.attributes)
            else { continue }
            switch (call.examined.function, call.status) {
            case (.add, .success), (.add, .duplicateItem): fate = nil
            case (.add, _): fate = .addFailed(call)
            // An item that was stored before the history began.
            case (.delete, .success) where hasWholeKey(named, of: query): fate = .deleted(call, count: 1)
            default: break
            }
        }
        return fate
    }

    /// Whether the key attributes that both name differ.
    private static func contradicts(_ query: NamedAttributes, _ other: Attributes) -> Bool {
        let schema = ItemSchema.of(query.itemClass)
        return query.identifying.contains { name, value in
            guard let column = schema[name], let theirs = other[name] else { return false }
            return !column.isEqual(value, theirs)
        }
    }

    private static func hasWholeKey(_ other: NamedAttributes, of query: NamedAttributes) -> Bool {
        !query.identifying.isEmpty && query.identifying.keys.allSatisfy { other.attributes[$0] != nil }
    }
}
