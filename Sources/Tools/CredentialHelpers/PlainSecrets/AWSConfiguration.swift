// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `~/.aws/config`, in which profiles get the helper.
package enum AWSConfiguration {
    /// The file after the helper was added to some profiles; every other byte stays.
    ///
    /// - Throws: ``HelperFailure`` if a profile has another program for its keys.
    package static func adding(_ profiles: [String], helper: String, to bytes: [UInt8]) throws(HelperFailure) -> [UInt8]
    {
        let lines = SettingLines(bytes)
        let end = lines.text.lines.first.map { $0.whole.count - $0.range.count } == 2 ? "\r\n" : "\n"
        var edits: [TextEdit] = []
        var added = ""
        for profile in profiles {
            let section = profile == "default" ? profile : "profile \(profile)"
            let line = "credential_process = \(helper) \(profile)"
            let set = lines.settings.filter { $0.section == section && $0.key == "credential_process" }
            guard set.isEmpty else {
                guard set.allSatisfy({ lines.text.text($0.line.range) == line }) else {
                    throw HelperFailure(
                        "the profile '\(profile.printable)' has another program for its keys (credential_process)"
                    )
                }
                continue
            }
            let header = lines.text.lines.last { lines.text.text(lines.text.trimmed($0.range)) == "[\(section)]" }
            if let header {
                edits.append(TextEdit(header.range.upperBound..<header.range.upperBound, "\(end)\(line)"))
            } else {
                added += "[\(section)]\(end)\(line)\(end)"
            }
        }
        var new = TextEdit.apply(edits, to: bytes)
        if !added.isEmpty, let last = new.last, last != 0x0A { new += Array(end.utf8) }
        new += Array(added.utf8)
        return new
    }
}
