// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers

/// Certificates indexed by their identifiers in messages.
package struct NamedCertificates: Sendable {
    /// All of them, in their order.
    package let all: [Certificate]

    /// The first certificate with each identifier.
    private let indices: [Name: Int]

    /// The identifiers by which a message refers to a certificate.
    private enum Name: Hashable {
        case number([UInt8], normalizedIssuer: [UInt8])
        case keyIdentifier([UInt8])
    }

    /// Certificates in their order.
    package init(_ certificates: [Certificate]) {
        all = certificates
        var indices: [Name: Int] = [:]
        for (index, certificate) in certificates.enumerated() {
            var names: [Name] = [
                .number(certificate.serialNumber, normalizedIssuer: certificate.normalizedIssuer)
            ]
            if let identifier = certificate.subjectKeyIdentifier { names.append(.keyIdentifier(identifier)) }
            for name in names where indices[name] == nil { indices[name] = index }
        }
        self.indices = indices
    }

    /// The position of the first certificate to which a message refers; `nil` if there is none.
    package func index(of signer: SignedData.Signer) -> Int? {
        switch signer {
        case .serialNumber(let number, let issuer):
            DistinguishedName.normalizedContent(issuer).flatMap { indices[.number(number, normalizedIssuer: $0)] }
        case .subjectKeyIdentifier(let identifier): indices[.keyIdentifier(identifier)]
        }
    }

    /// The first certificate to which a message refers; `nil` if there is none.
    package func certificate(of signer: SignedData.Signer) -> Certificate? { index(of: signer).map { all[$0] } }
}
