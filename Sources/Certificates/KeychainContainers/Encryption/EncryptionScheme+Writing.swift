// SPDX-License-Identifier: Apache-2.0

import Crypto
import SwiftASN1

/// The encryption of a new file.
package enum ContainerEncryption: Sendable, Hashable {
    /// PBES2 with PBKDF2, HMAC-SHA-256 and AES-256 in CBC mode (RFC 8018), as OpenSSL 3 writes.
    case aes256

    /// pbeWithSHAAnd3-KeyTripleDES-CBC (RFC 7292, appendix C), with SHA-1 for the integrity, for programs that support
    /// nothing newer, such as older releases of macOS.
    case tripleDES
}

extension EncryptionScheme {
    /// A scheme for a new file, with a new salt and initialization vector.
    init(_ encryption: ContainerEncryption, iterations: Int) {
        switch encryption {
        case .aes256:
            self = .passwordBased(
                PBKDF2(salt: RandomBytes.make(16), iterations: iterations),
                .aes(keyByteCount: 32),
                initializationVector: RandomBytes.make(16)
            )
        case .tripleDES:
            self = .legacy(.tripleDES(keyByteCount: 24), salt: RandomBytes.make(8), iterations: iterations)
        }
    }
}

extension EncryptionScheme: DERSerializable {
    /// Writes the `AlgorithmIdentifier` of a scheme for new files.
    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { algorithm in
            switch self {
            case .passwordBased(let derivation, _, let start):
                try algorithm.serialize(ASN1ObjectIdentifier.passwordBasedEncryption)
                try algorithm.appendConstructedNode(identifier: .sequence) { parameters in
                    try parameters.serialize(derivation)
                    try parameters.appendConstructedNode(identifier: .sequence) { cipher in
                        try cipher.serialize([2, 16, 840, 1, 101, 3, 4, 1, 42] as ASN1ObjectIdentifier)
                        try cipher.serialize(ASN1OctetString(contentBytes: start[...]))
                    }
                }
            case .legacy(_, let salt, let iterations):
                try algorithm.serialize([1, 2, 840, 113549, 1, 12, 1, 3] as ASN1ObjectIdentifier)
                try algorithm.appendConstructedNode(identifier: .sequence) { parameters in
                    try parameters.serialize(ASN1OctetString(contentBytes: salt[...]))
                    try parameters.serialize(iterations)
                }
            }
        }
    }
}

extension PBKDF2: DERSerializable {
    /// Writes the key derivation of a new file, with HMAC-SHA-256.
    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { derivation in
            try derivation.serialize([1, 2, 840, 113549, 1, 5, 12] as ASN1ObjectIdentifier)
            try derivation.appendConstructedNode(identifier: .sequence) { values in
                try values.serialize(ASN1OctetString(contentBytes: salt[...]))
                try values.serialize(iterations)
                try values.appendConstructedNode(identifier: .sequence) { function in
                    try function.serialize([1, 2, 840, 113549, 2, 9] as ASN1ObjectIdentifier)
                    function.appendPrimitiveNode(identifier: .null) { _ in }
                }
            }
        }
    }
}

/// Random bytes from the system.
enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
    }
}
