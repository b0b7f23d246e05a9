// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore
import KeychainEngine
import KeychainHost

/// The contents of a backup, as text.
enum BackupText {
    static func created(_ report: BackupReport, _ file: String) -> String {
        text("Wrote \(Count.text(report.items, "item")) to \(file).", report)
    }

    static func restored(_ report: BackupReport, _ file: String) -> String {
        text("Restored \(Count.text(report.items, "item")) from \(file). No passcode is set.", report)
    }

    private static func text(_ first: String, _ report: BackupReport) -> String {
        var lines = [first]
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
}

/// A path as the shell resolves it.
enum AbsolutePath {
    static func of(_ path: String) -> String {
        path.isAbsolutePath ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
