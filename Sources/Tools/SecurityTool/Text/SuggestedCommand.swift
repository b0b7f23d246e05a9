// SPDX-License-Identifier: Apache-2.0

import CommandHelp

/// What an unknown command may have meant.
///
/// Not part of macOS.
enum SuggestedCommand {
    /// What to try instead; `nil` if nothing is known.
    static func text(for word: Word) -> String? {
        guard let word = word.text else { return nil }
        let supported = CommandTable.entries.filter { $0.remark == nil }.map(\.name)
        if let meant = NearWords.alternatives(NearWords.suggestions(for: word, among: supported)) {
            return "did you mean \(meant)?"
        }
        return habits[word.lowercased()].map { "the command for that is: \($0)" }
    }

    /// Words that people type by habit from other tools; those in capitals are placeholders.
    static let habits: [String: String] = {
        var table: [String: String] = [:]
        for (words, line) in rows {
            for word in words.split(separator: " ") {
                table[String(word)] = line.isEmpty ? "keychainctl \(word)" : line
            }
        }
        return table
    }()

    private static let item = "-s SERVICE -a ACCOUNT"

    /// The command for each list of words; empty for those that are commands of `keychainctl`.
    private static let rows: KeyValuePairs<String, String> = [
        "read fetch lookup search cat print copy": "security find-generic-password \(item) -w",
        "store save put insert new edit": "security add-generic-password -U \(item) -w",
        "rm clear unset": "security delete-generic-password \(item)",
        "ls items all": "security dump-keychain",
        "passwd password passcode": "keychainctl device change-passcode",
        "status info": "keychainctl device status",
        "sign": "keychainctl sign --team-key KEY PROGRAM",
        "backup check device doctor recovery-key repair service team test trace words": "",
    ]
}
