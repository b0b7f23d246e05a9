// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The access list of an item, in the format of macOS.
enum AccessSection {
    /// The section for an item in a keychain file; without an access list, for one that every program of the user may
    /// use.
    static func text(_ item: StoredItem, _ access: ItemAccess?) -> ByteText {
        guard let access else { return text([(AccessEntry([.any], for: nil, ""), line(item.bytes(.label)))]) }
        return text(access.entries.map { ($0, line(Array($0.description.utf8))) })
    }

    private static func text(_ entries: [(AccessEntry, ByteText)]) -> ByteText {
        entries.enumerated().reduce("access: \(entries.count) entries\n") { all, entry in
            all + "    entry \(entry.offset):\n" + text(entry.element.0, entry.element.1)
        }
    }

    private static func text(_ entry: AccessEntry, _ description: ByteText) -> ByteText {
        let names = entry.authorizations.map(\.rawValue)
        let head: ByteText = """
                    authorizations (\(names.count)): \(names.joined(separator: " "))
                    \(entry.prompt & requirePassphrase == 0 ? "don't-require-password" : "require-password")
                    description: \(description)

            """
        guard let applications = entry.applications else { return head + "        applications: <null>\n" }
        return applications.enumerated().reduce(head + "        applications (\(applications.count)):\n") {
            $0 + "            \($1.offset): \($1.element.path) (\(state($1.element)))\n"
        }
    }

    /// `kSecKeychainPromptRequirePassphase`.
    private static let requirePassphrase: UInt16 = 1

    /// Whether the program exists, as text.
    private static func state(_ application: TrustedApplication) -> String {
        application.isKnown ? "OK" : "status \(noStaticCode)"
    }

    /// `errSecCSStaticCodeNotFound`.
    private static let noStaticCode = -67068

    /// A text, in the format of other values if it could break the lines.
    private static func line(_ text: [UInt8]) -> ByteText {
        text.allSatisfy(ValueFormat.isPrintable) ? ByteText(text) : ValueFormat.quoted(text)
    }
}
