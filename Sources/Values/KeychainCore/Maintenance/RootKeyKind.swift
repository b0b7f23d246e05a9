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
    package var name: String { Self.names.first { $0.kind == self }?.name ?? "\(rawValue)" }

    /// The kind of a name in commands; `nil` for no kind that a store in a folder can have.
    package init?(name: String) {
        guard let kind = Self.names.first(where: { $0.name == name })?.kind else { return nil }
        self = kind
    }

    /// The names of all kinds that a store in a folder can have.
    package static var allNames: [String] { names.map(\.name) }

    private static let names: [(kind: RootKeyKind, name: String)] = [
        (.software, "file"), (.tpm, "tpm"), (.systemdCredential, "systemd-credential"),
    ]
}

extension RootKeyKind: CustomStringConvertible {
    /// The location of the key, in a few words.
    package var description: String {
        switch self {
        case .software: "in a file"
        case .tpm: "in a TPM 2.0"
        case .systemdCredential: "in a systemd credential"
        case .published: "published"
        default: "of the unknown kind \(rawValue)"
        }
    }
}
