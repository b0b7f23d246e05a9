// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// A line for people that says whose certificate it is (Semantics, "Computed attributes").
enum SubjectSummary {
    /// The common names with the description behind them, else a name of the alternative ones, else the best of the
    /// subject.
    ///
    /// An empty value is one.
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

    /// All of several values, the last one first: it is the most specific one.
    private static func joined(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.reversed().joined(separator: ", ")
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let description: ASN1ObjectIdentifier = [2, 5, 4, 13]
}

/// The e-mail addresses of a subject: those of the alternative names, then those of the name itself, each once.
enum EmailAddresses {
    static func list(_ subject: Name, _ alternatives: AlternativeNames?) -> [String] {
        let all = (alternatives?.emailAddresses ?? []) + subject.texts(.NameAttributes.emailAddress)
        var seen: Set<String> = []
        return all.filter { seen.insert($0).inserted }
    }
}
