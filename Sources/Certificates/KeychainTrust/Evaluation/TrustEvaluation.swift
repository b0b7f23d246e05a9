// SPDX-License-Identifier: Apache-2.0

/// The result of the evaluation of a certificate.
package struct TrustEvaluation: Sendable, Hashable {
    /// The certificates in DER, from the evaluated one to the last that was found.
    package var chain: [[UInt8]]

    /// The defects; empty for a trusted certificate.
    package var findings: [Finding] = []

    /// Whether trust settings or exceptions determined the result.
    package var isDecidedByUser = false

    /// Whether there was a valid OCSP response about the certificate.
    package var isRevocationChecked = false

    /// A defect of a certificate in the chain.
    package struct Finding: Sendable, Hashable {
        /// The position in the chain; one past its end for a missing certificate.
        package var position: Int
        /// The defect.
        package var defect: TrustDefect
    }

    /// Whether it can be an evaluation of a request: its chain begins with the request's first certificate, and each
    /// defect has a position in it.
    func isAbout(_ request: TrustRequest) -> Bool {
        guard chain.isEmpty || chain.first == request.certificates.first else { return false }
        return findings.allSatisfy { 0...chain.count ~= $0.position }
    }

    /// Whether the certificate is trusted.
    package var isTrusted: Bool { findings.isEmpty }

    /// The finding that is reported; `nil` for a trusted certificate.
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

    /// The numbers of Apple's type with that name.
    package enum Result: UInt32, Sendable {
        /// Trusted by the user's decision.
        case proceed = 1
        /// Denied by the user's decision.
        case deny = 3
        /// Trusted.
        case unspecified = 4
        /// Not trusted; a user may ignore that.
        case recoverableTrustFailure = 5
        /// Not trusted, and a certificate has a defect.
        case fatalTrustFailure = 6
    }

    /// The certificate of a finding; the last one if a certificate is missing.
    package func certificate(_ finding: Finding) -> [UInt8]? {
        chain.indices.contains(finding.position) ? chain[finding.position] : chain.last
    }
}
