// SPDX-License-Identifier: Apache-2.0

/// The values of some attributes, as what they are.
extension Attributes {
    /// The access group.
    package var accessGroupName: String? {
        guard case .string(let name)? = self[.accessGroup] else { return nil }
        return name
    }

    /// When the item was created.
    package var creationDate: Timestamp? { date(.creationDate) }

    /// When the item was changed last.
    package var modificationDate: Timestamp? { date(.modificationDate) }

    private func date(_ name: AttributeName) -> Timestamp? {
        guard case .date(let date)? = self[name] else { return nil }
        return date
    }

    /// The label as text; empty if there is none, or if it has no text.
    package var labelText: String {
        switch self[.label] {
        case .string(let text)?: text.utf8.contains(0) ? "" : text
        case .data(let bytes)?: bytes.contains(0) ? "" : String(validating: bytes, as: UTF8.self) ?? ""
        default: ""
        }
    }
}
