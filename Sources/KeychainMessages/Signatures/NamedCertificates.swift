// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers

/// Certificates that are found by the names that messages have for them, however many there are.
package struct NamedCertificates: Sendable {
    /// All of them, in their order.
    package let all: [Certificate]

    /// The first that has each name.
    private let indices: [Name: Int]

    /// The two names of a certificate, and the form of the first in which it has itself.
    private enum Name: Hashable {
        case number([UInt8], normalizedIssuer: [UInt8])
        case numberAsWritten([UInt8], issuer: [UInt8])
        case keyIdentifier([UInt8])
    }

    /// Certificates in their order.
    package init(_ certificates: [Certificate]) {
        all = certificates
        var indices: [Name: Int] = [:]
        for (index, certificate) in certificates.enumerated() {
            let number = certificate.serialNumber
            var names: [Name] = [
                .number(number, normalizedIssuer: certificate.normalizedIssuer),
                .numberAsWritten(number, issuer: certificate.issuerSequence),
            ]
            if let identifier = certificate.subjectKeyIdentifier { names.append(.keyIdentifier(identifier)) }
            for name in names where indices[name] == nil { indices[name] = index }
        }
        self.indices = indices
    }

    /// Which is the first that a message means; `nil` for none.
    package func index(of signer: SignedData.Signer) -> Int? {
        switch signer {
        case .serialNumber(let number, let issuer):
            let normalized = DistinguishedName.normalizedContent(issuer).flatMap {
                indices[.number(number, normalizedIssuer: $0)]
            }
            return [normalized, indices[.numberAsWritten(number, issuer: issuer)]].compactMap(\.self).min()
        case .subjectKeyIdentifier(let identifier): return indices[.keyIdentifier(identifier)]
        }
    }

    /// The first that a message means; `nil` for none.
    package func certificate(of signer: SignedData.Signer) -> Certificate? { index(of: signer).map { all[$0] } }
}
