// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost

/// The contents of a backup, as text.
enum BackupText {
    static func created(
        _ report: BackupReport,
        omitting omitted: [UserKeychainFiles.Problem],
        at file: String
    ) -> String {
        var lines = ["Wrote \(contents(report)) to \(file.printable).", leftOut(report)]
        if !omitted.isEmpty { lines.append("Not in the backup, keychain files:") }
        for one in omitted { lines.append("    \(one.path.printable): \(one.why.printable)") }
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    static func restored(_ report: BackupReport, _ file: String) -> String {
        let items = Count.text(report.items, "item")
        return ["Restored \(items) from \(file.printable). No passcode is set.", leftOut(report)].filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    static func verified(_ report: BackupReport, _ file: String) -> String {
        ["\(file.printable) is sound: \(contents(report)).", leftOut(report)].filter { !$0.isEmpty }.joined(
            separator: "\n"
        )
    }

    /// "5 items", "5 items and 2 keychain files".
    static func contents(_ report: BackupReport) -> String {
        let items = Count.text(report.items, "item")
        return report.files == 0 ? items : "\(items) and \(Count.text(report.files, "keychain file"))"
    }

    /// What stayed behind, a line for each level.
    static func leftOut(_ report: BackupReport) -> String {
        var lines: [String] = []
        let levels = Accessibility.allCases.filter { report.leftOut[$0, default: 0] > 0 }
        if !levels.isEmpty { lines.append("Not in the backup, because they must not leave their device:") }
        for level in levels {
            lines.append("    \(level.constantName): \(Count.text(report.leftOut[level, default: 0], "item"))")
        }
        if report.damaged > 0 {
            lines.append("Not in the backup, because of damage: \(Count.text(report.damaged, "item"))")
        }
        return lines.joined(separator: "\n")
    }

    /// A line for an item: class, name, group, level, dates.
    static func line(_ item: BackedUpItem) -> String {
        let dates = [
            item.created.map { "created \(TimeText.text($0))" },
            item.modified.map {
                "changed \(TimeText.text($0))"
            },
        ]
        let parts = [
            className(item.itemClass), item.name.printable, item.accessGroup.printable,
            item.accessibility?.constantName,
        ]
        return (parts + dates).compactMap(\.self).joined(separator: "  ")
    }

    static func className(_ itemClass: ItemClass) -> String {
        switch itemClass {
        case .genericPassword: "generic"
        case .internetPassword: "internet"
        case .certificate: "certificate"
        case .key: "key"
        case .identity: "identity"
        }
    }

    /// The outcome of a merge, and whether the keychain was only looked at.
    static func merged(_ report: BackupMergeReport, _ merge: BackupMerge) -> String {
        let isApplied = report.isApplied
        var lines = names(isApplied ? "Added" : "To be added", report.added)
        lines.append("Equal: \(Count.text(report.equal, "item")).")
        let differing =
            switch (isApplied, merge.conflicts) {
            case (true, .keepOurs): "Different, kept as they were in the keychain"
            case (true, .keepTheirs): "Different, taken from the backup"
            default: "Different"
            }
        lines += names(differing, report.differing)
        lines += names(
            "Not taken, because another item has the identifier to which its password is bound",
            report.refused
        )
        if !isApplied { lines.append("No item was changed.") }
        return lines.joined(separator: "\n")
    }

    private static func names(_ title: String, _ names: BackupMergeReport.Names) -> [String] {
        guard names.count > 0 else { return [] }
        var lines = ["\(title): \(Count.text(names.count, "item"))"] + names.first.map { "    \(line($0))" }
        if names.count > names.first.count { lines.append("    and \(names.count - names.first.count) more") }
        return lines
    }
}

/// The contents of a backup, as JSON.
enum BackupJSON {
    static func report(_ report: BackupReport) -> [String: JSONValue] {
        [
            "items": .integer(report.items), "keychainFiles": .integer(report.files),
            "damaged": .integer(report.damaged),
            "leftOut": .object(
                Dictionary(uniqueKeysWithValues: report.leftOut.map { ($0.key.constantName, .integer($0.value)) })
            ),
        ]
    }

    static func item(_ item: BackedUpItem) -> JSONValue {
        .object([
            "class": .string(BackupText.className(item.itemClass)), "service": .string(item.service),
            "account": .string(item.account), "accessGroup": .string(item.accessGroup),
            "accessible": item.accessibility.map { .string($0.constantName) } ?? .null,
            "created": item.created.map { .string(TimeText.text($0)) } ?? .null,
            "modified": item.modified.map { .string(TimeText.text($0)) } ?? .null,
        ])
    }

    static func file(_ file: BackedUpFile) -> JSONValue {
        .object(["name": .string(file.name), "bytes": .integer(file.contents.count)])
    }

    static func merged(_ report: BackupMergeReport) -> [String: JSONValue] {
        func names(_ names: BackupMergeReport.Names) -> JSONValue {
            .object(["count": .integer(names.count), "items": .array(names.first.map(item))])
        }
        return [
            "applied": .boolean(report.isApplied), "added": names(report.added), "equal": .integer(report.equal),
            "different": names(report.differing), "refused": names(report.refused),
        ]
    }
}

/// A path as the shell resolves it.
enum AbsolutePath {
    static func of(_ path: String) -> String {
        path.isAbsolutePath ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
