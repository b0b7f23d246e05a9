// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A document and its signer: a JSON Web Signature (RFC 7515) in compact serialization, with Ed25519 (RFC 8032; the
/// algorithm `Ed25519` of RFC 9864), and the signer's public key in the header (RFC 8037).
///
/// The signature covers the purpose, as the type of the document (RFC 8725, section 3.11), so none is accepted as one
/// of another kind. The document does not choose the algorithm: there is only one.
package struct SignedDocument: Sendable, Hashable {
    /// The purpose of a signature.
    package enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// A ``ProgramManifest``.
        case manifest = "swift-keychain-manifest"
        /// A ``TeamStatement`` about a new key.
        case rotation = "swift-keychain-rotation"
        /// A ``TeamStatement`` that revokes a key.
        case keyRevocation = "swift-keychain-key-revocation"
        /// A ``TeamStatement`` that revokes manifests.
        case serialRevocation = "swift-keychain-serial-revocation"
    }

    /// The purpose of the signature.
    package let purpose: Purpose

    /// The key that it was signed by.
    ///
    /// Does not imply that the key is one of a team's.
    package let signer: TeamPublicKey

    /// The signed bytes.
    package let payload: [UInt8]

    /// The whole: three parts in base 64 for URLs, separated by periods.
    package let text: String

    /// The most bytes that a document may have.
    static let largestByteCount = 1 << 18

    /// Signs something.
    init(_ payload: JSONValue, for purpose: Purpose, by key: TeamKey) throws(IdentityError) {
        self.purpose = purpose
        signer = key.publicKey
        self.payload = Array(payload.text.utf8)
        let header = Self.header(signer, purpose)
        let signed = Encodings.base64URL(header.utf8) + "." + Encodings.base64URL(self.payload)
        text = signed + "." + Encodings.base64URL(try key.signature(of: Array(signed.utf8)))
    }

    /// Reads a document and checks its signature.
    ///
    /// - Throws: ``IdentityError`` for anything except a signed document with a header in this type's format.
    package init(text: some Sequence<UInt8>) throws(IdentityError) {
        var text = Array(text)
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        guard text.count <= Self.largestByteCount else { throw IdentityError("it is too long for a signed document") }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Encodings.bytes(base64URL: parts[0]),
            let payload = Encodings.bytes(base64URL: parts[1]), let signature = Encodings.bytes(base64URL: parts[2])
        else { throw IdentityError("it is not a JSON Web Signature in compact serialization") }
        guard let fields = try? JSONParser.parse(header), let purpose = fields["typ"].string.flatMap(Purpose.init),
            let signer = fields["jwk"]["x"].string.flatMap({ TeamPublicKey($0) }),
            header == Array(Self.header(signer, purpose).utf8)
        else { throw IdentityError("its header is not that of a document signed by Ed25519 for this purpose") }
        let signed = text[..<(parts[0].count + 1 + parts[1].count)]
        guard signature.count == 64, signer.isSignature(signature, of: Array(signed)) else {
            throw IdentityError("its signature is not that of the key that it names")
        }
        self.purpose = purpose
        self.signer = signer
        self.payload = payload
        self.text = String(decoding: text, as: UTF8.self)
    }

    private static func header(_ signer: TeamPublicKey, _ purpose: Purpose) -> String {
        let key: JSONValue = .object([
            "crv": .string("Ed25519"), "kty": .string("OKP"), "x": .string(signer.description),
        ])
        return JSONValue.object(["alg": .string("Ed25519"), "jwk": key, "typ": .string(purpose.rawValue)]).text
    }

    /// The members of the payload.
    func fields(_ names: Set<String>, optional: Set<String> = []) throws(IdentityError) -> JSONFields {
        try JSONFields(payload, names, optional: optional, versions: 1...1)
    }
}
