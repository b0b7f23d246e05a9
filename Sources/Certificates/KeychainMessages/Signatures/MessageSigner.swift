// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainKeys

/// A signer of messages: a certificate, and its private key.
package struct MessageSigner: Sendable {
    private let certificate: Certificate
    private let key: PrivateKey

    /// A signer.
    package init(_ certificate: Certificate, _ key: PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// The optional signed attributes.
    package struct Attributes: Sendable {
        /// The time of signing; `nil` for none.
        package var signingTime: Timestamp?
        /// The ciphers for messages to the signer.
        package var hasCapabilities = false
        /// The preference that replies be encrypted for the signer's certificate.
        package var hasEncryptionPreference = false
        /// The same in Microsoft's form.
        package var hasMicrosoftEncryptionPreference = false

        /// No attributes.
        package init() {}

        var isEmpty: Bool {
            signingTime == nil && !hasCapabilities && !hasEncryptionPreference && !hasMicrosoftEncryptionPreference
        }
    }

    /// Signs contents, and adds the signature to a message.
    ///
    /// - Parameters:
    ///   - contents: the signed contents, whether or not they are in the message.
    ///   - digest: the digest function.
    ///   - wanted: the signed attributes besides the mandatory ones. Without any, plain data is signed directly.
    ///   - message: the message.
    /// - Throws: the reason that the key does not sign.
    package func sign(
        _ contents: [UInt8],
        digest: DigestAlgorithm,
        attributes wanted: Attributes,
        in message: inout SignedDataWriter
    ) throws(KeychainError) {
        let isElliptic = key.publicKey.type == .ellipticCurve
        let signer = SignedDataWriter.Signer(
            issuer: certificate.issuerSequence,
            serialNumber: certificate.serialNumber,
            digestAlgorithm: digest.objectIdentifier,
            signatureAlgorithm: isElliptic ? Self.ecdsa(digest) : "1.2.840.113549.1.1.1",
            hasNullParameters: !isElliptic
        )
        let family = isElliptic ? "ECDSA:message-X962" : "RSA:message-PKCS1v15"
        guard let algorithm = KeyAlgorithm("algid:sign:\(family):\(digest.rawValue)") else {
            throw KeychainError(.parameter, "the digest function is not one for signatures")
        }
        var attributes: [UInt8]?
        if !wanted.isEmpty || message.contentType != ContentType.data {
            attributes = try encoding(wanted, contentType: message.contentType, digest: digest.digest(of: contents))
        }
        do throws(KeyError) {
            let signature = try (attributes ?? contents).withBytes { (bytes) throws(KeyError) in
                try key.signature(bytes, algorithm)
            }
            message.add(signer, attributes: attributes, signature: signature)
        } catch {
            throw KeychainError(error.status, error.reason)
        }
    }

    private func encoding(
        _ wanted: Attributes,
        contentType: [UInt8],
        digest: [UInt8]
    ) throws(KeychainError) -> [UInt8] {
        var attributes = SignedAttributes(contentType: contentType, digest: digest)
        attributes.signingTime = wanted.signingTime.map { time in
            // 2026-01-31T00:00:00Z without the separators that a GeneralizedTime lacks.
            Date(timeIntervalSinceReferenceDate: time.secondsSinceReferenceDate).ISO8601Format()
                .filter { !"-:T".contains($0) }
        }
        if wanted.hasCapabilities { attributes.capabilities = Self.ciphers }
        if wanted.hasEncryptionPreference { attributes.encryptionPreference = certificate.name }
        if wanted.hasMicrosoftEncryptionPreference { attributes.microsoftEncryptionPreference = certificate.name }
        do throws(ContainerError) {
            return try attributes.encoding()
        } catch {
            throw KeychainError(writing: error)
        }
    }

    /// AES with keys of 256, 192 and 128 bits, and Triple-DES: the supported ciphers, the strongest first.
    private static let ciphers = [
        "2.16.840.1.101.3.4.1.42", "2.16.840.1.101.3.4.1.22", "2.16.840.1.101.3.4.1.2", "1.2.840.113549.3.7",
    ]

    private static func ecdsa(_ digest: DigestAlgorithm) -> String {
        switch digest {
        case .sha1: "1.2.840.10045.4.1"
        case .sha224: "1.2.840.10045.4.3.1"
        case .sha256: "1.2.840.10045.4.3.2"
        case .sha384: "1.2.840.10045.4.3.3"
        case .sha512: "1.2.840.10045.4.3.4"
        }
    }
}

extension Certificate {
    /// The identifier of the certificate in messages.
    var name: SignedAttributes.Certificate {
        SignedAttributes.Certificate(issuer: issuerSequence, serialNumber: serialNumber)
    }
}
