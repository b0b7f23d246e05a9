// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The conditions that the contents of a certificate decide (Semantics, "Values and combinations").
struct CertificateFilters {
    let match: MatchConditions
    /// When the call is made.
    let now: Timestamp

    /// Whether every condition holds.
    ///
    /// The data is the certificate in DER; `nil` when nothing had it read, and then it meets no condition (Semantics,
    /// "Copying matching items", step 6). What does not decode meets none either, not even that trust does not matter.
    func accept(_ data: SecretBytes?) -> Bool {
        guard match.emailAddress != nil || match.readsCertificates else { return true }
        guard let data, let certificate = try? Certificate(der: data.unprotectedCopy) else { return false }
        if let address = match.emailAddress, !certificate.names(emailAddress: address) { return false }
        if match.validOn != nil, !certificate.validity.counts || !certificate.isValid(at: date) { return false }
        if let policy = match.policy, !certificate.satisfies(policy, at: date) { return false }
        return !needsTrust
    }

    /// Whether somebody has to trust the certificate, which nobody does yet: trust is not evaluated.
    private var needsTrust: Bool { match.trustedOnly ?? false || match.policy == .basicX509 }

    private var date: Timestamp {
        switch match.validOn {
        case .at(let date)?: date
        case .now?, nil: now
        }
    }
}

extension Validity {
    /// Whether a condition on the date can be met at all: Apple's keychain takes a time that is its reference date for
    /// one that is missing, and a validity without duration for none (Semantics, "Copying matching items").
    fileprivate var counts: Bool {
        notBefore != .referenceDate && notAfter != .referenceDate && notBefore != notAfter
    }
}
