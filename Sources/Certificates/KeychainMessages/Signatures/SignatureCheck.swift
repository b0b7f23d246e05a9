// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainKeys
import Synchronization

/// The validity of a message's signature (RFC 5652, section 5.6), which says nothing about the signer.
package enum SignatureCheck: Sendable, Hashable {
    /// The key of the certificate signed exactly these contents.
    case valid
    /// The contents are detached, and were not supplied.
    case needsContents
    /// Anything else: another signature, other contents, attributes that are missing or wrong, an algorithm that is not
    /// implemented.
    case invalid
}

/// Checks the signatures of one message.
///
/// The digests of the contents are computed once for all of them, because the author of a message chooses the number of
/// its signers and the length of its contents.
package final class SignatureChecker: Sendable {
    private let message: SignedData
    private let contents: [UInt8]?
    private let known = Mutex(Known())

    private struct Known {
        var areAttributes: Bool?
        var digests: [DigestAlgorithm: [UInt8]] = [:]
        var readings = 0
    }

    /// A checker of a message.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - contents: the contents if they are detached; `nil` if there are none.
    package init(_ message: SignedData, detached contents: [UInt8]?) {
        self.message = message
        self.contents = message.contents ?? contents
    }

    /// The number of complete passes over the contents.
    package var readings: Int { known.withLock { $0.readings } }

    /// Verifies a signature.
    ///
    /// - Parameters:
    ///   - signature: a signature of the message.
    ///   - certificate: the signer's certificate.
    /// - Returns: Its validity.
    package func check(_ signature: MessageSignature, by certificate: Certificate) -> SignatureCheck {
        guard let contents else { return .needsContents }
        guard let scheme = SignatureScheme(signature),
            let key = try? PublicKey(subjectPublicKeyInfo: certificate.subjectPublicKeyInfo)
        else { return .invalid }
        guard let attributes = signature.attributes else {
            // Other types of contents require attributes (RFC 5652, section 5.3). Otherwise, a signature of attributes
            // could be presented as one of contents that are these attributes, which were never signed as contents.
            guard message.contentType == ContentType.data, !areAttributes(contents) else { return .invalid }
            return scheme.isValid(signature.bytes, ofDigest: digest(of: contents, scheme.digest), key)
                ? .valid : .invalid
        }
        guard attributes.contentType == message.contentType,
            attributes.digest == digest(of: contents, scheme.digest),
            attributes.signedForms.contains(where: {
                scheme.isValid(signature.bytes, ofDigest: scheme.digest.digest(of: $0), key)
            })
        else { return .invalid }
        return .valid
    }

    private func areAttributes(_ contents: [UInt8]) -> Bool {
        known.withLock { known in
            if let known = known.areAttributes { return known }
            let result = MessageSignature.Attributes.isEncoded(in: contents)
            known.areAttributes = result
            known.readings += 1
            return result
        }
    }

    private func digest(of contents: [UInt8], _ function: DigestAlgorithm) -> [UInt8] {
        known.withLock { known in
            if let digest = known.digests[function] { return digest }
            let digest = function.digest(of: contents)
            known.digests[function] = digest
            known.readings += 1
            return digest
        }
    }
}

extension Certificate {
    /// Whether an identifier in a message refers to the certificate.
    package func isMeant(by name: SignedData.Signer) -> Bool {
        switch name {
        case .serialNumber(let number, let issuer): has(issuer: issuer, serialNumber: number)
        case .subjectKeyIdentifier(let identifier): subjectKeyIdentifier == identifier
        }
    }
}
