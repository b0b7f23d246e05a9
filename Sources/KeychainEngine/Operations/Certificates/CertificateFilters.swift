// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The conditions that the contents of a certificate decide (specification, section 3.5).
struct CertificateFilters {
    let match: MatchConditions
    /// When the call is made.
    let now: Timestamp

    /// Whether every condition holds.
    ///
    /// The data is the certificate in DER; `nil` when nothing had it read, and then it meets no condition (specification,
    /// section 5.2, step 6). What does not decode meets none either.
    func accept(_ data: SecretBytes?) -> Bool {
        guard match.emailAddress != nil || match.validOn != nil || match.policy != nil else { return true }
        guard let data, let certificate = try? Certificate(der: data.unprotectedCopy) else { return false }
        // As the key's name says, a certificate without any address is no obstacle.
        if let address = match.emailAddress, !certificate.emailAddresses.isEmpty,
            !certificate.names(emailAddress: address)
        {
            return false
        }
        if match.validOn != nil, !certificate.isValid(at: date) { return false }
        return match.policy.map { certificate.satisfies($0, at: date) } ?? true
    }

    private var date: Timestamp {
        switch match.validOn {
        case .at(let date)?: date
        case .now?, nil: now
        }
    }
}
