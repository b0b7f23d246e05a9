// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The search in the file-based keychains that precedes a copy by issuers from the data protection keychain (Semantics,
/// "Keys that the macOS front end removes").
struct AuthoritySearch {
    /// The file-based keychains.
    let files: any KeychainBackend
    let client: Client

    /// The call with the issuers replaced by the subjects of authorities below them; unchanged if there are none.
    ///
    /// macOS inserts dictionaries of attributes before the subjects, which have no effect in the data protection
    /// keychain and are omitted here.
    func replacingIssuers(in operation: KeychainRequest.Operation) -> KeychainRequest.Operation {
        guard case .copyMatching(var query) = operation, let issuers = query[PropertyKey.matchIssuers],
            case .array = issuers
        else { return operation }
        let subjects = authorities(below: issuers).map { PropertyValue.data(SecretBytes($0.subjectSequence)) }
        guard !subjects.isEmpty else { return operation }
        query[PropertyKey.matchIssuers] = .array(subjects)
        return .copyMatching(query)
    }

    private func authorities(below issuers: PropertyValue) -> [Certificate] {
        let match = CertificateMatch([PropertyKey.matchIssuers: issuers])
        guard !match.issuers.isEmpty else { return [] }
        let certificates = certificates
        let pool = CertificatePool(certificates)
        return certificates.filter { $0.isOfAuthority && match.leadsToIssuer($0, pool) }
    }

    /// Every certificate of the search list; empty if one cannot be read.
    private var certificates: [Certificate] {
        let query: PropertyDictionary = [
            PropertyKey.itemClass: .string(ItemClass.certificate.rawValue),
            PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
            PropertyKey.returnData: .boolean(true),
            // The caller requested an item of the other keychain.
            PropertyKey.useAuthenticationUI: .string(PropertyKey.useAuthenticationUIFail),
        ]
        let found = try? files.perform(KeychainRequest(.copyMatching(query), client: client))
        return (found?.values ?? []).compactMap { value in
            guard case .data(let bytes) = value else { return nil }
            return try? Certificate(der: bytes.unprotectedCopy)
        }
    }
}
