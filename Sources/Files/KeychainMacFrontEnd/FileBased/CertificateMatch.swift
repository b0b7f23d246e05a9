// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The conditions on certificates, beyond their attributes, in a query of file-based keychains (Semantics, "Searching
/// file-based keychains").
struct CertificateMatch {
    /// Names that a chain has to lead to, normalized.
    let issuers: Set<[UInt8]>
    let emailAddress: String?
    private let policy: CertificatePolicy?
    private let trustedOnly: Bool
    private let validOn: PropertyValue?
    private let subjects: [SubjectCondition]
    private let ignoresCase: Bool

    private struct SubjectCondition {
        var key: String
        var text: String
    }

    init(_ dictionary: PropertyDictionary) {
        var issuers: Set<[UInt8]> = []
        if case .array(let names)? = dictionary[PropertyKey.matchIssuers] {
            for case .data(let name) in names {
                issuers.insert(DistinguishedName.normalizedContent(name).unprotectedCopy)
            }
        }
        self.issuers = issuers
        emailAddress = dictionary.text(PropertyKey.matchEmailAddressIfPresent)
        if case .policy(let policy)? = dictionary[PropertyKey.matchPolicy] {
            self.policy = policy
        } else {
            policy = nil
        }
        trustedOnly = dictionary[PropertyKey.matchTrustedOnly] == .boolean(true)
        validOn = dictionary[PropertyKey.matchValidOnDate]
        subjects = Self.subjectKeys.compactMap { key in
            dictionary.text(key).map { SubjectCondition(key: key, text: $0) }
        }
        ignoresCase = dictionary[PropertyKey.matchCaseInsensitive] == .boolean(true)
    }

    private static let subjectKeys = [
        PropertyKey.matchSubjectContains, PropertyKey.matchSubjectStartsWith, PropertyKey.matchSubjectEndsWith,
        PropertyKey.matchSubjectWholeString,
    ]

    /// Whether there is a condition, so that certificates have to be read.
    var isNeeded: Bool {
        !issuers.isEmpty || emailAddress != nil || policy != nil || trustedOnly || validOn != nil || !subjects.isEmpty
    }

    /// Whether a condition is on the chain of a certificate, so that the others have to be read, too.
    var needsChains: Bool { !issuers.isEmpty || !policiesOfChains.isEmpty }

    /// Whether a certificate satisfies the conditions.
    ///
    /// - Parameters:
    ///   - certificate: the certificate.
    ///   - pool: the certificates for building chains.
    ///   - judge: evaluates chains; without one, none is trusted.
    ///   - now: the time of the call.
    /// - Returns: Whether every condition holds.
    /// - Throws: `errSecNotAvailable` if a chain has to be evaluated and cannot be.
    func accepts(
        _ certificate: Certificate,
        from pool: CertificatePool,
        judgedBy judge: (any CertificateJudge)?,
        now: Timestamp
    ) throws(KeychainError) -> Bool {
        if let emailAddress, !certificate.names(emailAddress: emailAddress) { return false }
        let date = if case .date(let date)? = validOn { date } else { now }
        if validOn != nil, !certificate.isValid(at: date) { return false }
        if let policy, !certificate.satisfies(policy, at: date) { return false }
        guard acceptsSubject(of: certificate), issuers.isEmpty || leadsToIssuer(certificate, pool) else { return false }
        let policies = policiesOfChains
        guard !policies.isEmpty else { return true }
        let others = pool.possibleIssuers(of: certificate).map(\.der)
        for policy in policies {
            let isTrusted = try judge?.trusts(certificate.der, others: others, for: policy, at: date) ?? false
            guard isTrusted else { return false }
        }
        return true
    }

    /// Whether a chain leads from a certificate to one of the issuers.
    func leadsToIssuer(_ certificate: Certificate, _ pool: CertificatePool) -> Bool {
        pool.chain(from: certificate) { _, _ in true }.contains { issuers.contains($0.normalizedIssuer) }
    }

    /// The policies for which a chain has to lead to an anchor: if only trusted certificates are requested, the query's
    /// policy is one of them.
    private var policiesOfChains: [CertificatePolicy] {
        guard let policy else { return trustedOnly ? [.basicX509] : [] }
        return trustedOnly ? [.basicX509, policy] : policy.needsChain ? [policy] : []
    }

    /// The conditions on the common name; "starts with" and "ends with" apply to each of them, and a name also starts
    /// at its second character, as on macOS.
    private func acceptsSubject(of certificate: Certificate) -> Bool {
        guard !subjects.isEmpty else { return true }
        guard let name = certificate.commonName.map(folded) else { return false }
        let isAnchoredAtStart = subjects.contains { $0.key == PropertyKey.matchSubjectStartsWith }
        let isAnchoredAtEnd = subjects.contains { $0.key == PropertyKey.matchSubjectEndsWith }
        return subjects.allSatisfy { condition in
            let text = folded(condition.text)
            let places = name.occurrences(of: text)
            if condition.key == PropertyKey.matchSubjectWholeString, name.count != text.count { return false }
            return places.contains { place in
                (!isAnchoredAtStart || place <= 1) && (!isAnchoredAtEnd || place + text.count == name.count)
            }
        }
    }

    private func folded(_ text: String) -> [Character] { Array(ignoresCase ? text.lowercased() : text) }
}

extension [Character] {
    /// The positions of other characters in these.
    fileprivate func occurrences(of other: [Character]) -> [Int] {
        guard other.count <= count else { return [] }
        return (0...(count - other.count)).filter { self[$0..<$0 + other.count].elementsEqual(other) }
    }
}

extension PropertyDictionary {
    fileprivate func text(_ key: String) -> String? {
        if case .string(let text)? = self[key] { text } else { nil }
    }
}
