// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainKeys

extension SecPadding {
    /// The algorithm for a padding of the older functions and a key.
    ///
    /// With `.PKCS1`, the length of the digest that an elliptic-curve key signs determines its hash function.
    ///
    /// - Parameters:
    ///   - key: the key, whose family decides.
    ///   - count: the length of the input.
    /// - Returns: The algorithm.
    /// - Throws: ``KeyError/unsupportedAlgorithm`` for a padding that the key does not support.
    func signatureAlgorithm(of key: SecKey, _ count: Int) throws(KeyError) -> KeyAlgorithm {
        let name: String? =
            switch key.publicKey.type {
            case .rsa: rsaSignatureName
            case .ellipticCurve:
                self == .sigRaw
                    ? "digest-RFC4754" : self == .PKCS1 ? "digest-X962" + Self.digestName(count) : "digest-X962"
            }
        let family = key.publicKey.type == .rsa ? "RSA" : "ECDSA"
        return try Self.algorithm(name.map { "algid:sign:\(family):\($0)" })
    }

    /// The algorithm of a padding of the older functions that encrypt.
    var encryptionAlgorithm: KeyAlgorithm {
        get throws(KeyError) {
            let name: String? =
                switch self {
                case []: "raw"
                case .PKCS1: "PKCS1"
                case .OAEP: "OAEP:SHA1"
                default: nil
                }
            return try Self.algorithm(name.map { "algid:encrypt:RSA:\($0)" })
        }
    }

    private var rsaSignatureName: String? {
        switch self {
        case []: "raw"
        case .PKCS1: "digest-PKCS1v15"
        case .PKCS1SHA1: "digest-PKCS1v15:SHA1"
        case .PKCS1SHA224: "digest-PKCS1v15:SHA224"
        case .PKCS1SHA256: "digest-PKCS1v15:SHA256"
        case .PKCS1SHA384: "digest-PKCS1v15:SHA384"
        case .PKCS1SHA512: "digest-PKCS1v15:SHA512"
        default: nil
        }
    }

    private static func digestName(_ count: Int) -> String {
        let names = [20: ":SHA1", 28: ":SHA224", 32: ":SHA256", 48: ":SHA384", 64: ":SHA512"]
        return names[count] ?? ""
    }

    private static func algorithm(_ name: String?) throws(KeyError) -> KeyAlgorithm {
        guard let algorithm = name.flatMap({ KeyAlgorithm($0) }) else { throw .unsupportedAlgorithm }
        return algorithm
    }
}
