// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

/// Information about a root key, as text and as JSON.
enum RootKeyText {
    /// Lines of a name and a value.
    static func plain(_ status: RootKeyStatus) -> String {
        guard let kind = status.kind else { return "There is no keychain yet." }
        var rows = [("Root key", kind.description)]
        if let path = status.path { rows.append(("File", path)) }
        let kinds = status.replacements.map(\.name)
        rows.append(("Replaceable by", kinds.isEmpty ? "none" : kinds.joined(separator: ", ")))
        if status.isUnsettled {
            rows.append(("Replacement", "under way in another program, or could not be finished"))
        }
        return StatusRows.text(rows)
    }

    /// A JSON object; `nil` values are `null`.
    static func json(_ status: RootKeyStatus) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Form(status: status)), as: UTF8.self)
    }

    private struct Form: Encodable {
        let status: RootKeyStatus

        private enum Key: String, CodingKey {
            case kind, path, replacements, isUnsettled
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(status.kind?.name, forKey: .kind)
            try object.encode(status.path, forKey: .path)
            try object.encode(status.replacements.map(\.name), forKey: .replacements)
            try object.encode(status.isUnsettled, forKey: .isUnsettled)
        }
    }
}
