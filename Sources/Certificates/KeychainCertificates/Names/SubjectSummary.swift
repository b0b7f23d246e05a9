// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// A human-readable line that identifies the subject (Semantics, "Computed attributes").
enum SubjectSummary {
    /// The common names followed by the description, or else an alternative name, or else the most suitable attribute
    /// of the subject.
    ///
    /// An empty value counts as a value.
    static func text(_ subject: Name, _ alternatives: AlternativeNames?) -> String? {
        if let names = joined(subject.texts(.NameAttributes.commonName)) {
            return subject.texts(.description).last.map { "\(names) (\($0))" } ?? names
        }
        return EmailAddresses.list(subject, alternatives).first ?? alternatives?.dnsNames.first(
            where: HostName.isPossible
        )
            ?? joined(subject.texts(.NameAttributes.organizationalUnitName))
            ?? joined(subject.texts(.NameAttributes.organizationName))
            ?? joined(subject.attributes.compactMap(\.text))
    }

    /// All values, the last one first, because it is the most specific.
    private static func joined(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.reversed().joined(separator: ", ")
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let description: ASN1ObjectIdentifier = [2, 5, 4, 13]
}

/// The e-mail addresses of a subject: those of the alternative names, then those of the name itself, without
/// duplicates.
enum EmailAddresses {
    static func list(_ subject: Name, _ alternatives: AlternativeNames?) -> [String] {
        let all = (alternatives?.emailAddresses ?? []) + subject.texts(.NameAttributes.emailAddress)
        var seen: Set<String> = []
        return all.filter { seen.insert($0).inserted }
    }
}
