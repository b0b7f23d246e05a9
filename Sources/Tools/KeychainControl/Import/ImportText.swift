// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What an import says, as lines and as JSON; never a secret.
struct ImportText {
    let report: ItemImport.Report
    let found: ForeignItems
    let isRehearsal: Bool

    /// Whether everything of the other service is in the keychain afterwards.
    var isComplete: Bool {
        report.different.isEmpty && report.refused.isEmpty && found.unreadable.isEmpty && !found.isLocked
    }

    /// For people.
    var lines: [String] {
        var lines: [String] = []
        func add(_ title: String, _ items: [String]) {
            guard !items.isEmpty else { return }
            lines.append("\(title):")
            lines += items.map { "  \($0)" }
        }
        let would = isRehearsal ? "Would add" : "Added"
        if report.added.isEmpty {
            lines.append("\(would) nothing.")
        } else {
            add("\(would) \(Count.text(report.added.count, "item"))", report.added.map(\.line))
        }
        add(
            "\(isRehearsal ? "Would replace" : "Replaced") the secret of \(Count.text(report.replaced.count, "item"))",
            report.replaced.map(\.line)
        )
        if !report.same.isEmpty { lines.append("In the keychain already: \(Count.text(report.same.count, "item")).") }
        add("The keychain has another secret, which stays (--replace takes theirs)", report.different.map(\.line))
        add(
            "Cannot be taken",
            report.refused.map { "\($0.item.line): \($0.reason)" }
                + found.unreadable.map { "\($0.name.printable): \($0.reason)" }
        )
        add(
            "Locked there (--unlock has the service ask you)",
            found.lockedCollections.map { "the collection \($0.name.printable), \(Count.text($0.count, "item"))" }
                + found.lockedItems.map { "\($0.name.printable) (\($0.collection.printable))" }
        )
        if found.temporaryCount > 0 {
            lines.append(
                "Left out: \(Count.text(found.temporaryCount, "item")) of the collection that ends with the session."
            )
        }
        return lines
    }

    /// A JSON object.
    var json: String {
        func items(_ items: [ForeignItem]) -> JSONValue {
            .array(items.map { .object(["label": .string($0.contents.label), "collection": .string($0.collection)]) })
        }
        func reasons(_ refused: [(name: String, reason: String)]) -> JSONValue {
            .array(refused.map { .object(["label": .string($0.name), "reason": .string($0.reason)]) })
        }
        let locked: [String: JSONValue] = [
            "collections": .array(
                found.lockedCollections.map { .object(["label": .string($0.name), "items": .integer($0.count)]) }
            ),
            "items": .array(
                found.lockedItems.map { .object(["label": .string($0.name), "collection": .string($0.collection)]) }
            ),
        ]
        let refused = report.refused.map { (name: $0.item.contents.label, reason: $0.reason) } + found.unreadable
        return JSONText.indented([
            "dryRun": .boolean(isRehearsal), "added": items(report.added), "same": items(report.same),
            "different": items(report.different), "replaced": items(report.replaced), "refused": reasons(refused),
            "locked": .object(locked), "leftOut": .integer(found.temporaryCount),
        ])
    }
}
