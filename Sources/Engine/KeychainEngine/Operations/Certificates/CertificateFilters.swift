// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The conditions that the contents of a certificate decide (Semantics, "Values and combinations").
struct CertificateFilters {
    let match: MatchConditions
    /// When the call is made.
    let now: Timestamp
    /// Who says whether a certificate is trusted; without one, none is.
    let judge: (any CertificateJudge)?

    /// Whether every condition holds.
    ///
    /// The data is the certificate in DER; `nil` when nothing had it read, and then it meets no condition (Semantics,
    /// "Copying matching items", step 6). What does not decode meets none either, not even that trust does not matter.
    ///
    /// - Throws: `errSecNotAvailable` where a chain has to be judged and nothing can.
    func accept(_ data: SecretBytes?) throws(KeychainError) -> Bool {
        guard match.emailAddress != nil || match.readsCertificates else { return true }
        guard let data, let certificate = try? Certificate(der: data.unprotectedCopy) else { return false }
        if let address = match.emailAddress, !certificate.names(emailAddress: address) { return false }
        if match.validOn != nil, !certificate.validity.counts || !certificate.isValid(at: date) { return false }
        if let policy = match.policy, !certificate.satisfies(policy, at: date) { return false }
        for policy in policiesOfChains {
            guard try judge?.trusts(certificate.der, others: [], for: policy, at: date) ?? false else { return false }
        }
        return true
    }

    /// The policies for which a chain has to lead to an anchor; the others judge the certificate alone.
    private var policiesOfChains: [CertificatePolicy] {
        var policies: [CertificatePolicy] = match.trustedOnly ?? false ? [.basicX509] : []
        if let policy = match.policy, policy.needsChain { policies.append(policy) }
        return policies
    }

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
