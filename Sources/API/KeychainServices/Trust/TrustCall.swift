// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainTrust

/// Shared code of the trust functions.
enum TrustCall {
    /// The anchors of the system.
    static func systemAnchors() throws(KeychainError) -> [SecCertificate] {
        try TrustEvaluator.systemAnchors().compactMap { try? Certificate(der: $0) }.map(SecCertificate.init(_:))
    }
}
