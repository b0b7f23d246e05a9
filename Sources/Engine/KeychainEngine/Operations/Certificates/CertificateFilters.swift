// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The conditions that the contents of a certificate decide (Semantics, "Values and combinations").
struct CertificateFilters {
    let match: MatchConditions
    /// The time of the call.
    let now: Timestamp
    /// Evaluates whether a certificate is trusted; without it, none is.
    let judge: (any CertificateJudge)?

    /// Whether every condition holds.
    ///
    /// The data is the certificate in DER; if it is `nil`, because no condition required it, the certificate meets no
    /// condition (Semantics, "Copying matching items", step 6). An undecodable one meets none either, not even that
    /// trust does not matter.
    ///
    /// - Throws: `errSecNotAvailable` if a chain has to be evaluated and cannot be.
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

    /// The policies that require a chain to an anchor; the others evaluate only the certificate.
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
    /// Whether a condition on the date can be met at all.
    ///
    /// Apple's keychain treats a time equal to its reference date as missing, and a validity without duration as none
    /// (Semantics, "Copying matching items").
    fileprivate var counts: Bool {
        notBefore != .referenceDate && notAfter != .referenceDate && notBefore != notAfter
    }
}
