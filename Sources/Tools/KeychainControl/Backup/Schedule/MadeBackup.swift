// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A scheduled backup that was verified, as the schedule records it.
struct MadeBackup: Codable, Equatable {
    let date: String
    var file = ""
    let items: Int
    let keychainFiles: Int

    /// How many items are not in it because they are damaged.
    let damagedItems: Int

    /// The keychain files that are not in it.
    let omitted: [UserKeychainFiles.Problem]

    /// The keychain files that are in it as they are: damaged.
    let damagedFiles: [UserKeychainFiles.Problem]

    /// Whether everything is in it that can be in a backup, undamaged.
    ///
    /// What another one lacks may be in an earlier one alone.
    var isComplete: Bool { damagedItems == 0 && omitted.isEmpty && damagedFiles.isEmpty }

    /// Its date, name and contents.
    var text: String {
        let report = BackupReport(items: items, files: keychainFiles, leftOut: [:], damaged: 0)
        return "\(date), \(file.printable) (\(BackupText.contents(report))\(isComplete ? "" : ", incomplete"))"
    }

    /// What it lacks, in words.
    var lacking: String {
        let items = damagedItems == 0 ? [] : [Count.text(damagedItems, "damaged item")]
        let files = (omitted + damagedFiles).map { "\($0.path.printable): \($0.why.printable)" }
        return (items + files).joined(separator: "; ")
    }

    var json: JSONValue {
        .object([
            "date": .string(date), "file": .string(file), "items": .integer(items),
            "keychainFiles": .integer(keychainFiles), "damagedItems": .integer(damagedItems),
            "omittedFiles": .array(omitted.map(\.json)), "damagedFiles": .array(damagedFiles.map(\.json)),
        ])
    }
}
