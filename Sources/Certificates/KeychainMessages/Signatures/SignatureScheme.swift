// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainKeys

/// The scheme of a message's signature, from its two algorithms (RFC 3370, RFC 5754, RFC 5753, RFC 4056).
struct SignatureScheme {
    /// The digest function for the contents and the signed attributes (RFC 8933).
    let digest: DigestAlgorithm

    private let family: Family

    private enum Family {
        case pkcs1
        case pss(saltCount: Int)
        case ecdsa
    }

    /// A scheme; `nil` for algorithms that are not implemented, or cannot be combined.
    init?(_ signature: MessageSignature) {
        guard let digest = DigestAlgorithm(objectIdentifier: signature.digestAlgorithm) else { return nil }
        self.digest = digest
        if signature.algorithm == Self.pss {
            guard let parameters = try? RSAPaddingParameters(signature.parameters, isEncryption: false),
                parameters.digest == signature.digestAlgorithm, parameters.maskDigest == parameters.digest
            else { return nil }
            family = .pss(saltCount: parameters.saltCount)
            return
        }
        guard let (family, named) = Self.families[signature.algorithm], named ?? digest == digest else { return nil }
        self.family = family
    }

    /// Whether a key made the signature of data with a digest.
    func isValid(_ signature: [UInt8], ofDigest bytes: [UInt8], _ key: PublicKey) -> Bool {
        do throws(KeyError) {
            switch family {
            case .pkcs1:
                try Self.verify(signature, of: bytes, with: key, algorithm: "RSA:digest-PKCS1v15:\(digest.rawValue)")
            case .ecdsa:
                try Self.verify(signature, of: bytes, with: key, algorithm: "ECDSA:digest-X962:\(digest.rawValue)")
            case .pss(let saltCount): try key.verifyPSS(signature, of: bytes, digest, saltCount: saltCount)
            }
            return true
        } catch {
            return false
        }
    }

    private static func verify(
        _ signature: [UInt8],
        of bytes: [UInt8],
        with key: PublicKey,
        algorithm name: String
    ) throws(KeyError) {
        guard let algorithm = KeyAlgorithm("algid:sign:" + name) else { throw .unsupportedAlgorithm }
        try signature.withBytes { (signature) throws(KeyError) in
            try bytes.withBytes { (bytes) throws(KeyError) in try key.verify(signature, of: bytes, algorithm) }
        }
    }

    private static let pss = "1.2.840.113549.1.1.10"

    /// The family of each algorithm, and the digest function if its identifier states it.
    private static let families: [String: (Family, DigestAlgorithm?)] = [
        "1.2.840.113549.1.1.1": (.pkcs1, nil),
        "1.2.840.113549.1.1.5": (.pkcs1, .sha1),
        "1.2.840.113549.1.1.14": (.pkcs1, .sha224),
        "1.2.840.113549.1.1.11": (.pkcs1, .sha256),
        "1.2.840.113549.1.1.12": (.pkcs1, .sha384),
        "1.2.840.113549.1.1.13": (.pkcs1, .sha512),
        // The key's own identifier, which some software writes for both families.
        "1.2.840.10045.2.1": (.ecdsa, nil),
        "1.2.840.10045.4.1": (.ecdsa, .sha1),
        "1.2.840.10045.4.3.1": (.ecdsa, .sha224),
        "1.2.840.10045.4.3.2": (.ecdsa, .sha256),
        "1.2.840.10045.4.3.3": (.ecdsa, .sha384),
        "1.2.840.10045.4.3.4": (.ecdsa, .sha512),
    ]
}

extension DigestAlgorithm {
    /// A digest function by its identifier, in dotted decimal notation (RFC 5754, section 2; RFC 3370, section 2.1).
    package init?(objectIdentifier: String) {
        guard let known = Self.allCases.first(where: { $0.objectIdentifier == objectIdentifier }) else { return nil }
        self = known
    }

    /// The identifier, in dotted decimal notation.
    package var objectIdentifier: String {
        switch self {
        case .sha1: "1.3.14.3.2.26"
        case .sha224: "2.16.840.1.101.3.4.2.4"
        case .sha256: "2.16.840.1.101.3.4.2.1"
        case .sha384: "2.16.840.1.101.3.4.2.2"
        case .sha512: "2.16.840.1.101.3.4.2.3"
        }
    }

    /// The digest of bytes.
    package func digest(of bytes: [UInt8]) -> [UInt8] { bytes.withBytes { digest($0) } }
}
