// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// What a program shows of the certificate of a server before it expires.
struct CertificateExpiry {
    let expires: Date
    let issuer: String?

    init?(_ certificate: SecCertificate) {
        let keys = [kSecOIDX509V1ValidityNotAfter, kSecOIDX509V1IssuerName]
        var error: Unmanaged<CFError>?
        guard let values = SecCertificateCopyValues(certificate, keys as CFArray, &error) as? [CFString: Any],
            let after = values[kSecOIDX509V1ValidityNotAfter] as? [CFString: Any],
            let seconds = after[kSecPropertyKeyValue] as? NSNumber
        else { return nil }
        expires = Date(timeIntervalSinceReferenceDate: seconds.doubleValue)
        let name = (values[kSecOIDX509V1IssuerName] as? [CFString: Any])?[kSecPropertyKeyValue] as? [[CFString: Any]]
        let common = name?.first { ($0[kSecPropertyKeyLabel] as? String) == (kSecOIDCommonName as String) }
        issuer = common?[kSecPropertyKeyValue] as? String
    }

    /// The client certificate that the administrator chose for a host.
    static func preferredIdentity(for host: String) -> SecIdentity? {
        SecIdentityCopyPreferred(host as CFString, [kSecAttrCanSign] as CFArray, nil)
    }
}
