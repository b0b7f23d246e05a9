// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// A line for people that says whose certificate it is (specification, section 2.3).
enum SubjectSummary {
    /// The common name with the description behind it, else a name of the alternative ones, else the best of the subject.
    static func text(_ subject: Name, _ alternatives: AlternativeNames?) -> String? {
        if let name = subject.texts(.NameAttributes.commonName).last {
            return subject.texts(.description).last.map { "\(name) (\($0))" } ?? name
        }
        if let name = alternatives?.emailAddresses.first ?? alternatives?.dnsNames.first { return name }
        return subject.texts(.NameAttributes.organizationalUnitName).last
            ?? subject.texts(.NameAttributes.organizationName).last
            ?? subject.attributes.lazy.compactMap(\.text).first { !$0.isEmpty }
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let description: ASN1ObjectIdentifier = [2, 5, 4, 13]
}
