// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The parsed form of a `SecKeyAlgorithm`: the rows of `KeyAlgorithmTable`, each parsed once.
package struct KeyAlgorithm: Sendable, Hashable {
    let scheme: Scheme

    /// The algorithm of a string such as `algid:sign:ECDSA:message-X962:SHA256`; `nil` for one that is not in the
    /// table.
    package init?(_ name: String) {
        guard let algorithm = Self.table[name] else { return nil }
        self = algorithm
    }

    private init(_ scheme: Scheme) { self.scheme = scheme }

    /// The families, and the parameters of each.
    enum Scheme: Sendable, Hashable {
        case ecdsa(ECDSAForm, SignatureInput)
        case rsaSignature(RSASignaturePadding, SignatureInput)
        case rsaEncryption(RSAEncryptionPadding)
        /// RSA wraps an AES key that encrypts the data.
        case rsaHybrid(DigestAlgorithm)
        case ecies(DigestAlgorithm, ECIESNonce)
        /// ECDH, and the digest of the key derivation function after it. The cofactor variant is the same on these
        /// curves, whose cofactor is 1.
        case keyExchange(DigestAlgorithm?)
    }

    /// The format of an ECDSA signature.
    enum ECDSAForm: Sendable, Hashable {
        /// `SEQUENCE { r INTEGER, s INTEGER }` in DER (ANSI X9.62).
        case x962
        /// r ‖ s, each as long as a coordinate (RFC 4754).
        case rfc4754
    }

    /// The signed data.
    enum SignatureInput: Sendable, Hashable {
        /// A message, which is hashed.
        case message(DigestAlgorithm)
        /// A digest that the caller computed, with the function's length.
        case digest(DigestAlgorithm)
        /// Bytes for which the caller is responsible.
        case bytes
    }

    enum RSASignaturePadding: Sendable, Hashable {
        /// No padding: the bytes as a number.
        case raw
        /// EMSA-PKCS1-v1_5 (RFC 8017, section 9.2); without a digest function also without a `DigestInfo`.
        case pkcs1
        /// EMSA-PSS (RFC 8017, section 9.1), with a salt as long as the digest; the number at the end of an algorithm's
        /// string is only its name, and another one for SHA-224 (Apple's SecKey.h).
        case pss
    }

    enum RSAEncryptionPadding: Sendable, Hashable {
        /// No padding: the bytes as a number.
        case raw
        /// EME-PKCS1-v1_5 (RFC 8017, section 7.2).
        case pkcs1
        /// EME-OAEP (RFC 8017, section 7.1), the digest also in its mask function, without a label.
        case oaep(DigestAlgorithm)
    }

    /// The source of the AES-GCM nonce in ECIES.
    enum ECIESNonce: Sendable, Hashable {
        /// Sixteen zero bytes: the key is used once.
        case zero
        /// The key derivation function, after the key.
        case derived
    }

    private static let table: [String: KeyAlgorithm] = Dictionary(
        uniqueKeysWithValues: KeyAlgorithmTable.rows.compactMap { row in
            Scheme(row.value).map { (row.value, KeyAlgorithm($0)) }
        }
    )
}

extension KeyAlgorithm.Scheme {
    /// Parses a string of the table: `algid`, the operation, the family and its parameters, separated by colons.
    init?(_ name: String) {
        let words = name.split(separator: ":").map(String.init)
        guard words.count > 2, words[0] == "algid" else { return nil }
        let digest = words.dropFirst(3).compactMap { DigestAlgorithm(rawValue: $0) }.first
        switch (words[1], words[2], words.dropFirst(3).first ?? "") {
        case ("sign", "ECDSA", let kind):
            let form: KeyAlgorithm.ECDSAForm = kind.hasSuffix("RFC4754") ? .rfc4754 : .x962
            self = .ecdsa(form, Self.input(kind, digest))
        case ("sign", "RSA", let kind):
            self = .rsaSignature(Self.padding(kind), Self.input(kind, digest))
        case ("encrypt", "RSA", "raw"): self = .rsaEncryption(.raw)
        case ("encrypt", "RSA", "PKCS1"): self = .rsaEncryption(.pkcs1)
        case ("encrypt", "RSA", "OAEP"):
            guard let digest else { return nil }
            self = words.last == "AESGCM" ? .rsaHybrid(digest) : .rsaEncryption(.oaep(digest))
        case ("encrypt", "ECIES", _):
            guard let digest else { return nil }
            self = .ecies(digest, words.last == "AESGCM-KDFIV" ? .derived : .zero)
        case ("keyexchange", _, _): self = .keyExchange(digest)
        default: return nil
        }
    }

    private static func input(_ kind: String, _ digest: DigestAlgorithm?) -> KeyAlgorithm.SignatureInput {
        digest.map { kind.hasPrefix("message") ? .message($0) : .digest($0) } ?? .bytes
    }

    private static func padding(_ kind: String) -> KeyAlgorithm.RSASignaturePadding {
        if kind == "raw" { return .raw }
        return kind.hasSuffix("PSS") ? .pss : .pkcs1
    }
}
