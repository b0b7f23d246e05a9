// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Who may use an item, in the form of macOS.
enum AccessSection {
    /// The section of an item of a keychain file; without an access, for one that every program of the user may use.
    static func text(_ item: StoredItem, _ access: ItemAccess?) -> ByteText {
        let entries = access.map(entries) ?? [Entry("any", line(label(item)))]
        return entries.enumerated().reduce("access: \(entries.count) entries\n") { text, entry in
            text + "    entry \(entry.offset):\n" + entry.element.text
        }
    }

    private struct Entry {
        let authorizations: [String]
        let description: ByteText

        /// Which programs; `nil` for every one.
        let applications: [TrustedApplication]?

        init(_ authorizations: String..., description: ByteText, for applications: [TrustedApplication]? = nil) {
            self.authorizations = authorizations
            self.description = description
            self.applications = applications
        }

        init(_ authorization: String, _ description: ByteText) { self.init(authorization, description: description) }

        var text: ByteText {
            let head: ByteText = """
                        authorizations (\(authorizations.count)): \(authorizations.joined(separator: " "))
                        don't-require-password
                        description: \(description)

                """
            guard let applications else { return head + "        applications: <null>\n" }
            return applications.enumerated().reduce(head + "        applications (\(applications.count)):\n") {
                $0 + "            \($1.offset): \($1.element.path) (\(Self.state($1.element)))\n"
            }
        }

        /// Whether the program is there.
        private static func state(_ application: TrustedApplication) -> String {
            application.isKnown ? "OK" : "status \(noStaticCode)"
        }

        /// `errSecCSStaticCodeNotFound`.
        private static let noStaticCode = -67068
    }

    private static func entries(_ access: ItemAccess) -> [Entry] {
        let description = line(Array(access.descriptor.utf8))
        var entries = [
            Entry("encrypt", description: description),
            Entry(
                "decrypt", "derive", "export_clear", "export_wrapped", "mac", "sign",
                description: description,
                for: access.trustedApplications
            ),
        ]
        if !access.partitions.isEmpty {
            let partitions = access.partitions.joined(separator: ", ")
            entries.append(Entry("partition_id", description: line(Array(partitions.utf8))))
        }
        return entries + [Entry("change_acl", description: description, for: [])]
    }

    private static func label(_ item: StoredItem) -> [UInt8] { item.bytes(.label) }

    /// A text; in the form of other values where it could break the lines.
    private static func line(_ text: [UInt8]) -> ByteText {
        text.allSatisfy(ValueFormat.isPrintable) ? ByteText(text) : ValueFormat.quoted(text)
    }
}
