// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine

/// What is known of a backup without its secret.
struct BackupFacts {
    private let outline: BackupOutline
    private let date: Timestamp
    private let byteCount: Int

    init(of path: String) throws(Refusal) {
        outline = try refusing { () throws(KeychainError) in try BackupInspection(of: path).outline() }
        var status = stat()
        guard stat(path, &status) == 0 else { throw Refusal("\(path): \(String(cString: strerror(errno)))") }
        date = Timestamp(
            secondsSinceReferenceDate: Double(status.st_mtim.tv_sec) - Timestamp.referenceDateSince1970
        )
        byteCount = Int(status.st_size)
    }

    private var itemCount: Int { outline.items.values.reduce(0, +) }

    var text: String {
        var rows = [
            ("Format", outline.version),
            ("File written", "\(TimeText.text(date)) (\(Count.text(byteCount, "byte")))"),
            ("Items", "\(itemCount)"),
        ]
        for itemClass in ItemClass.stored {
            let count = outline.items[itemClass, default: 0]
            if count > 0 { rows.append(("  \(BackupText.className(itemClass))", "\(count)")) }
        }
        rows.append(("Keychain files", "\(outline.files)"))
        let report = BackupReport(items: itemCount, leftOut: outline.leftOut, damaged: outline.damaged)
        return [
            StatusRows.text(rows.map { ($0.0, $0.1) }), BackupText.leftOut(report),
            "Names, and whether all of this is so, are known with the secret: 'backup list', 'backup verify'.",
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    var json: [String: JSONValue] {
        let report = BackupReport(
            items: itemCount,
            files: outline.files,
            leftOut: outline.leftOut,
            damaged: outline.damaged
        )
        let classes = outline.items.map { (BackupText.className($0.key), JSONValue.integer($0.value)) }
        return BackupJSON.report(report).merging(
            [
                "format": .string(outline.version), "fileWritten": .string(TimeText.text(date)),
                "bytes": .integer(byteCount), "proven": .boolean(false),
                "itemsByClass": .object(Dictionary(uniqueKeysWithValues: classes)),
            ]
        ) { $1 }
    }
}
