// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A query for identities as two: one for certificates, one for keys (Semantics, "Identities").
struct IdentityQuery {
    var certificate: Query
    var key: Query

    /// The halves of a query for `kSecClassIdentity`.
    ///
    /// Label, issuer, serial number, subject key identifier and token refer to the certificate, as do attributes that
    /// only certificates have, which Apple's keychain cannot search for (open question 5). The group refers to both.
    /// Everything else refers to the key: synchronizability, accessibility. A persistent reference identifies the
    /// certificate.
    init(_ query: Query) {
        certificate = query.halfQuery(.certificate)
        certificate.scope = .any
        certificate.reference = query.reference?.ofCertificate
        key = query.halfQuery(.key)
        key.scope = query.effectiveScope
        for (name, value) in query.attributes {
            if name == .accessGroup || Self.isOfCertificate(name) { certificate.attributes[name] = value }
            if name == .accessGroup || !Self.isOfCertificate(name) { key.attributes[name] = value }
        }
    }

    private static func isOfCertificate(_ name: AttributeName) -> Bool {
        named.contains(name) || ItemSchema.of(.key)[name] == nil
    }

    private static let named: Set<AttributeName> = [.label, .issuer, "slnr", "skid", .tokenID]
}

extension Query {
    /// The same question about the rows of one class, without attributes.
    fileprivate func halfQuery(_ itemClass: ItemClass) -> Query {
        var half = Query(itemClass: itemClass)
        half.returns = returns
        half.authenticationUI = authenticationUI
        if itemClass == .certificate { half.match = match }
        return half
    }
}

extension PersistentReference {
    /// The certificate that a reference to an identity names.
    fileprivate var ofCertificate: PersistentReference {
        switch self {
        case .item(_, let identifier): .item(.certificate, identifier)
        case .row(_, let number): .row(.certificate, number)
        case .token: .token(.certificate)
        }
    }
}
