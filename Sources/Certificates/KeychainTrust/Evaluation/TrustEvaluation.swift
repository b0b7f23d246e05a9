// SPDX-License-Identifier: Apache-2.0

/// What is known of a certificate after it was judged.
package struct TrustEvaluation: Sendable, Hashable {
    /// The certificates in DER, from the one that was judged to the last that was found.
    package var chain: [[UInt8]]

    /// What is wrong; nothing for one that is trusted.
    package var findings: [Finding] = []

    /// Whether trust settings or exceptions have decided.
    package var isDecidedByUser = false

    /// Whether there was an OCSP response about the certificate that counts.
    package var isRevocationChecked = false

    /// Something wrong with a certificate of the chain.
    package struct Finding: Sendable, Hashable {
        /// The position in the chain; one behind it for a certificate that is missing.
        package var position: Int
        /// What is wrong.
        package var defect: TrustDefect
    }

    /// Whether the certificate is trusted.
    package var isTrusted: Bool { findings.isEmpty }

    /// What is told of all that is wrong; `nil` for a certificate that is trusted.
    package var mainFinding: Finding? {
        let order = TrustDefect.allCases
        return findings.min { left, right in
            let (leftRank, rightRank) = (
                order.firstIndex(of: left.defect) ?? 0, order.firstIndex(of: right.defect) ?? 0
            )
            return (leftRank, left.position) < (rightRank, right.position)
        }
    }

    /// The result as one of `SecTrustResultType`.
    package var result: Result {
        guard let defect = mainFinding?.defect else { return isDecidedByUser ? .proceed : .unspecified }
        if defect == .denied { return .deny }
        return findings.contains { $0.defect.isFatal } ? .fatalTrustFailure : .recoverableTrustFailure
    }

    /// The numbers of Apple's type of the name.
    package enum Result: UInt32, Sendable {
        /// Trusted by decision of a user.
        case proceed = 1
        /// Denied by decision of a user.
        case deny = 3
        /// Trusted.
        case unspecified = 4
        /// Not trusted; a user may pass it over.
        case recoverableTrustFailure = 5
        /// Not trusted, and something is wrong with a certificate.
        case fatalTrustFailure = 6
    }

    /// The certificate that a finding is about; the last one for one that is missing.
    package func certificate(_ finding: Finding) -> [UInt8]? {
        chain.indices.contains(finding.position) ? chain[finding.position] : chain.last
    }
}
