// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainKeys
import Synchronization

/// Whether a signature of a message is good (RFC 5652, section 5.6); nothing is said of whose it is.
package enum SignatureCheck: Sendable, Hashable {
    /// The key of the certificate has signed exactly these contents.
    case valid
    /// The contents are not in the message, and were not given.
    case needsContents
    /// Anything else: another signature, other contents, attributes that are missing or wrong, an algorithm that is not
    /// implemented.
    case invalid
}

/// Checks the signatures of one message.
///
/// What has to be known of the contents is computed once for all of them: who writes a message decides how many have
/// signed it, and how long the contents are.
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
    ///   - contents: the contents where they are outside of the message; `nil` for none.
    package init(_ message: SignedData, detached contents: [UInt8]?) {
        self.message = message
        self.contents = message.contents ?? contents
    }

    /// How often the contents were read from end to end.
    package var readings: Int { known.withLock { $0.readings } }

    /// Checks a signature.
    ///
    /// - Parameters:
    ///   - signature: one of the message.
    ///   - certificate: the signer's certificate.
    /// - Returns: Whether it is good.
    package func check(_ signature: MessageSignature, by certificate: Certificate) -> SignatureCheck {
        guard let contents else { return .needsContents }
        guard let scheme = SignatureScheme(signature),
            let key = try? PublicKey(subjectPublicKeyInfo: certificate.subjectPublicKeyInfo)
        else { return .invalid }
        guard let attributes = signature.attributes else {
            // Other types of contents need attributes (RFC 5652, section 5.3). Contents that are attributes themselves
            // would turn a signature of attributes into one of contents that were never signed.
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
    /// Whether a message means the certificate.
    package func isMeant(by name: SignedData.Signer) -> Bool {
        switch name {
        case .serialNumber(let number, let issuer): has(issuer: issuer, serialNumber: number)
        case .subjectKeyIdentifier(let identifier): subjectKeyIdentifier == identifier
        }
    }
}
