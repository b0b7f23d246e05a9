// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore
import KeychainEngine

/// The report of a check, as text and as JSON.
enum DamageText {
    static func plain(_ report: StoreReport, _ files: [KeychainFileCheck]) -> String {
        var lines = ["\(report.folder.printable): \(verdict(report))"]
        lines += findings(report)
        lines += items(report)
        lines += files.compactMap(line)
        lines += advice(report)
        return lines.joined(separator: "\n")
    }

    private static func verdict(_ report: StoreReport) -> String {
        switch report.verdict {
        case .sound: "sound, \(Count.text(report.intactRows, "item"))"
        case .damaged: "damaged"
        case .unreadable: "not readable: \(report.obstacle ?? "")"
        }
    }

    /// A line for each finding, and one for what to do about it.
    static func findings(_ report: StoreReport) -> [String] {
        report.findings.flatMap { finding in
            ["\(finding.isDamage ? "damage" : "note"): \(finding.text.printable)"]
                + (finding.remedy.map { ["    \($0.printable)"] } ?? [])
        }
    }

    /// The items that do not open, or were set aside, the first of them.
    static func items(_ report: StoreReport) -> [String] {
        var lines = report.damagedItems.prefix(longestList).map { item in
            "\(fate(item.fate)): \(item.itemClass.rawValue)\(names(item)), \(item.reason)"
        }
        let more = report.damagedItems.count - longestList
        if more > 0 { lines.append("and \(Count.text(more, "more item")); --json lists all of them") }
        return lines
    }

    private static let longestList = 50

    private static func fate(_ fate: DamagedItem.Fate) -> String {
        switch fate {
        case .opens, .mendable: "can be had back"
        case .locked: "locked"
        case .earlier: "left out"
        case .lost: "lost"
        }
    }

    private static func names(_ item: DamagedItem) -> String {
        item.names.sorted { $0.key < $1.key }.map { " \($0.key)=\"\($0.value.printable)\"" }.joined()
    }

    private static func line(_ file: KeychainFileCheck) -> String? {
        if let defect = file.defect { return "damage: keychain file \(file.path.printable): \(defect.printable)" }
        return file.exists ? nil : "note: keychain file \(file.path.printable) of the search list is not there"
    }

    private static func advice(_ report: StoreReport) -> [String] {
        var lines: [String] = []
        if report.lockedRows > 0 {
            lines.append(
                "\(Count.text(report.lockedRows, "item")) behind the passcode could not be looked at: "
                    + "'keychainctl check --unlock'"
            )
        }
        if report.destroyedRows > 0 {
            lines.append("\(Count.text(report.destroyedRows, "item")) went with a passcode that was removed")
        }
        if report.verdict == .damaged {
            let lost = report.damagedItems.count { $0.fate == .lost }
            lines.append(
                "\(Count.text(report.intactRows, "item")) can be read; 'keychainctl repair --dry-run' says what a repair does"
                    + (lost == 0
                        ? ""
                        : ", and a backup may have what is lost: 'keychainctl backup list FILE' says what is in it")
            )
        }
        return lines
    }

    static func json(_ report: StoreReport, _ files: [KeychainFileCheck]) throws -> String {
        try DamageForm.encoded(
            DamageForm(
                report,
                keychainFiles: files.map {
                    DamageForm.File(path: $0.path, exists: $0.exists, defect: $0.defect)
                }
            )
        )
    }
}

/// What a check found, as JSON.
struct DamageForm: Encodable {
    let folder: String
    let verdict: String
    let obstacle: String?
    let findings: [Finding]
    let intactRows: Int
    let lockedRows: Int
    let destroyedRows: Int
    let damagedItems: [Item]
    let keychainFiles: [File]?

    struct Finding: Encodable {
        let part: String
        let text: String
        let remedy: String?
        let isDamage: Bool
    }

    struct Item: Encodable {
        let itemClass: String
        let reason: String
        let isQuarantined: Bool
        let fate: String
        let attributes: [String: String]
    }

    struct File: Encodable {
        let path: String
        let exists: Bool
        let defect: String?
    }

    init(_ report: StoreReport, keychainFiles: [File]? = nil) {
        folder = report.folder
        verdict = report.verdict.rawValue
        obstacle = report.obstacle
        findings = report.findings.map {
            Finding(part: $0.part.rawValue, text: $0.text, remedy: $0.remedy, isDamage: $0.isDamage)
        }
        intactRows = report.intactRows
        lockedRows = report.lockedRows
        destroyedRows = report.destroyedRows
        damagedItems = report.damagedItems.map { item in
            Item(
                itemClass: item.itemClass.rawValue,
                reason: item.reason,
                isQuarantined: item.isQuarantined,
                fate: item.fate.rawValue,
                attributes: Dictionary(uniqueKeysWithValues: item.names.map { ("\($0.key)", $0.value) })
            )
        }
        self.keychainFiles = keychainFiles
    }

    /// A JSON object; values that are not known are left out.
    static func encoded(_ form: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(form), as: UTF8.self)
    }
}
