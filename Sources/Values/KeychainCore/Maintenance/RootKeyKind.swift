// SPDX-License-Identifier: Apache-2.0

/// The kinds of root keys; the keybag of a store records its kind.
package struct RootKeyKind: RawRepresentable, Sendable, Hashable {
    /// The number in a file.
    package let rawValue: UInt8

    /// A kind by its number, known or not.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A key in this process's memory, which is stored in a file.
    package static let software = RootKeyKind(rawValue: 1)

    /// Reserved: a key in a TPM 2.0.
    package static let tpm = RootKeyKind(rawValue: 2)

    /// Reserved: a systemd credential.
    package static let systemdCredential = RootKeyKind(rawValue: 3)

    /// A key that everyone has: that of keychain files, which their password alone protects.
    package static let published = RootKeyKind(rawValue: 4)

    /// Its name in commands; the number of one that this version does not know.
    package var name: String { row?.name ?? "\(rawValue)" }

    /// The kind of a name in commands; `nil` for no kind that a store in a folder can have.
    package init?(name: String) {
        guard let kind = Self.rows.first(where: { $0.name == name })?.kind else { return nil }
        self = kind
    }

    /// The names of all kinds that a store in a folder can have.
    package static var allNames: [String] { rows.compactMap(\.name) }

    private var row: Row? { Self.rows.first { $0.kind == self } }

    private struct Row {
        let kind: RootKeyKind
        /// The name in commands; `nil` for a kind that no store in a folder has.
        let name: String?
        /// Where such a key is, in a few words.
        let place: String
    }

    private static let rows = [
        Row(kind: .software, name: "file", place: "in a file"),
        Row(kind: .tpm, name: "tpm", place: "in a TPM 2.0"),
        Row(kind: .systemdCredential, name: "systemd-credential", place: "in a systemd credential"),
        Row(kind: .published, name: nil, place: "published"),
    ]
}

extension RootKeyKind: CustomStringConvertible {
    /// The location of the key, in a few words.
    package var description: String { row?.place ?? "of the unknown kind \(rawValue)" }
}
