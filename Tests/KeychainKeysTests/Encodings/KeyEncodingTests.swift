// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainKeys

/// The encodings of keys among themselves.
struct KeyEncodingTests {
    @Test("a key comes back from each of its encodings", arguments: [256, 384, 521, 1024, 2048])
    func roundTrips(_ size: Int) throws {
        let key = try #require(SampleKeys.all.first { $0.sizeInBits == size })
        let external = try #require(key.externalRepresentation)
        #expect(try PrivateKey(externalRepresentation: external, key.type).publicKey == key.publicKey)
        let again = try PrivateKey(pkcs8: try #require(key.pkcs8))
        #expect(again.externalRepresentation == external)
        if let sec1 = key.sec1 {
            #expect(try PrivateKey(sec1: sec1).externalRepresentation == external)
        } else {
            #expect(key.type == .rsa)
        }
        let publicKey = key.publicKey
        #expect(try PublicKey(externalRepresentation: publicKey.externalRepresentation, key.type) == publicKey)
        #expect(try PublicKey(subjectPublicKeyInfo: publicKey.subjectPublicKeyInfo) == publicKey)
        #expect(publicKey.sizeInBits == size && publicKey.hash.count == 20)
    }

    @Test(
        "external representations of a curve's keys have Apple's lengths",
        arguments: [(256, 65), (384, 97), (521, 133)]
    )
    func lengths(_ size: Int, _ count: Int) throws {
        let key = try #require(SampleKeys.curves.first { $0.sizeInBits == size })
        #expect(key.publicKey.externalRepresentation.count == count)
        #expect(key.externalRepresentation?.count == count + (size + 7) / 8)
    }

    @Test("the public part of a private key must be its own")
    func foreignPublicPart() throws {
        let key = SampleKeys.p256
        let other = try PrivateKey(generating: .ellipticCurve, sizeInBits: 256)
        let bytes = other.publicKey.externalRepresentation + (try scalar(of: key))
        #expect(throws: KeyError.self) { try PrivateKey(externalRepresentation: SecretBytes(bytes), .ellipticCurve) }
        let sec1 = try structure(key, publicKey: other.publicKey)
        #expect(throws: KeyError.self) { try PrivateKey(sec1: sec1) }
        #expect(try PrivateKey(sec1: structure(key, publicKey: key.publicKey)).publicKey == key.publicKey)
    }

    @Test("zero, the order and more are no private keys", arguments: SampleKeys.curves.map(\.sizeInBits))
    func scalars(_ size: Int) throws {
        let key = try #require(SampleKeys.curves.first { $0.sizeInBits == size })
        let count = (size + 7) / 8
        for scalar in [0, 0xFF].map({ Array(repeating: $0 as UInt8, count: count) }) {
            let bytes = SecretBytes(key.publicKey.externalRepresentation + scalar)
            #expect(throws: KeyError.self) { try PrivateKey(externalRepresentation: bytes, .ellipticCurve) }
        }
    }

    @Test("SEC 1 without parameters and without public key, inside PKCS #8 and alone")
    func partial() throws {
        for key in SampleKeys.curves {
            let scalar = try scalar(of: key)
            let curve = try #require(key.publicKey.curve)
            let bare = DERWriter.element(0x30, [2, 1, 1], DERWriter.element(4, scalar))
            #expect(try PrivateKey(sec1: SecretBytes(bare)).publicKey == key.publicKey)
            let named = DERWriter.element(
                0x30,
                [2, 1, 1],
                DERWriter.element(4, scalar),
                DERWriter.element(0xA0, DERWriter.element(6, curve.objectIdentifier))
            )
            let identifier = key.publicKey.algorithmIdentifier.der
            for inner in [bare, named] {
                let pkcs8 = DERWriter.element(0x30, [2, 1, 0], identifier, DERWriter.element(4, inner))
                #expect(try PrivateKey(pkcs8: SecretBytes(pkcs8)).publicKey == key.publicKey)
            }
            let other = AlgorithmIdentifier.ellipticCurve(curve == .p256 ? .p384 : .p256).der
            let wrong = DERWriter.element(0x30, [2, 1, 0], other, DERWriter.element(4, named))
            #expect(throws: KeyError.self) { try PrivateKey(pkcs8: SecretBytes(wrong)) }
        }
    }

    @Test("PKCS #8 of the second version with attributes and public key")
    func secondVersion() throws {
        let key = SampleKeys.p256
        let inner = DERWriter.element(4, DERWriter.element(0x30, [2, 1, 1], DERWriter.element(4, try scalar(of: key))))
        let attributes: [UInt8] = [0xA0, 2, 0x30, 0]
        func pkcs8(_ version: UInt8, _ publicKey: PublicKey) -> SecretBytes {
            SecretBytes(
                DERWriter.element(
                    0x30,
                    [2, 1, version],
                    key.publicKey.algorithmIdentifier.der,
                    inner,
                    attributes,
                    DERWriter.bitString(0x81, publicKey.externalRepresentation)
                )
            )
        }
        #expect(try PrivateKey(pkcs8: pkcs8(1, key.publicKey)).publicKey == key.publicKey)
        #expect(throws: KeyError.self) { try PrivateKey(pkcs8: pkcs8(0, key.publicKey)) }
        let other = try PrivateKey(generating: .ellipticCurve, sizeInBits: 256).publicKey
        #expect(throws: KeyError.self) { try PrivateKey(pkcs8: pkcs8(1, other)) }
    }

    @Test("a byte more at the end of any encoding is refused")
    func trailing() throws {
        for key in SampleKeys.all {
            func longer(_ bytes: SecretBytes?) throws -> SecretBytes {
                SecretBytes(try #require(bytes).unprotectedCopy + [0])
            }
            let (external, pkcs8) = (try longer(key.externalRepresentation), try longer(key.pkcs8))
            #expect(throws: KeyError.self) { try PrivateKey(externalRepresentation: external, key.type) }
            #expect(throws: KeyError.self) { try PrivateKey(pkcs8: pkcs8) }
            if key.sec1 != nil {
                let sec1 = try longer(key.sec1)
                #expect(throws: KeyError.self) { try PrivateKey(sec1: sec1) }
            }
            let publicKey = key.publicKey
            let info = publicKey.subjectPublicKeyInfo + [0]
            #expect(throws: KeyError.self) { try PublicKey(subjectPublicKeyInfo: info) }
            let bytes = publicKey.externalRepresentation + [0]
            #expect(throws: KeyError.self) { try PublicKey(externalRepresentation: bytes, key.type) }
        }
    }

    @Test("a point off the curve, a compressed one and infinity are no public keys")
    func points() throws {
        let point = SampleKeys.p256.publicKey.externalRepresentation
        let compressed = [2 | point[64] & 1] + point[1...32]
        let wrong: [[UInt8]] = [point.flipping(bit: 500), compressed, [0], [], [6] + Array(point.dropFirst())]
        for bytes in wrong {
            #expect(throws: KeyError.self) { try PublicKey(externalRepresentation: bytes, .ellipticCurve) }
        }
    }

    @Test(
        "sizes that keys cannot have",
        arguments: [
            (KeyType.ellipticCurve, 0), (.ellipticCurve, 192), (.ellipticCurve, 1_000_000), (.ellipticCurve, -256),
        ]
            + [(.rsa, 0), (.rsa, 512), (.rsa, 1000), (.rsa, 1032), (.rsa, 8193), (.rsa, Int.max), (.rsa, -2048)]
    )
    func sizes(_ type: KeyType, _ size: Int) {
        #expect(throws: KeyError.self) { try PrivateKey(generating: type, sizeInBits: size) }
    }

    @Test(
        "an RSA public key is read from a SubjectPublicKeyInfo, and given back in PKCS #1",
        arguments: [1024, 1025, 2047, 2048, 3072, 4096, 8192]
    )
    func subjectPublicKeyInfo(_ size: Int) throws {
        var modulus = Array(repeating: 0xA5 as UInt8, count: (size + 7) / 8)
        modulus[0] = 1 << UInt8((size - 1) % 8)
        let pkcs1 = DERWriter.element(0x30, DERWriter.integer(modulus), DERWriter.integer([1, 0, 1]))
        let object: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
        for parameters in [[5, 0] as [UInt8], []] {
            let info = DERWriter.element(
                0x30,
                DERWriter.element(0x30, object, parameters),
                DERWriter.bitString(3, pkcs1)
            )
            for keyType in [PropertyValue.string("42"), .number(.integer(42))] {
                let attributes = ["type": keyType, "kcls": PropertyValue.string("0")]
                let key = try #require(KeyHalf(KeyReference(attributes: attributes, data: SecretBytes(info)))).publicKey
                #expect(key.externalRepresentation == pkcs1 && key.sizeInBits == size)
            }
            #expect(try PublicKey(subjectPublicKeyInfo: info).externalRepresentation == pkcs1)
            let wrong = [
                info + [0], DERWriter.element(0x30, DERWriter.element(0x30, object, parameters)),
                DERWriter.element(0x30, DERWriter.element(0x30, object, [5, 1, 0]), DERWriter.bitString(3, pkcs1)),
                DERWriter.element(0x30, DERWriter.element(0x30, object, [5, 0, 5, 0]), DERWriter.bitString(3, pkcs1)),
                DERWriter.element(0x30, DERWriter.element(0x30, object), DERWriter.bitString(3, info)),
            ]
            for wrong in wrong { #expect(throws: KeyError.self) { try half(wrong, type: "42", keyClass: "0") } }
        }
    }

    @Test("no other key is read from the encodings of PKCS #8 and X.509")
    func otherInfos() throws {
        for key in SampleKeys.all {
            let info = key.publicKey.subjectPublicKeyInfo
            #expect(throws: KeyError.self) {
                try half(try #require(key.pkcs8).unprotectedCopy, type: key.type.attributeValue, keyClass: "1")
            }
            #expect(throws: KeyError.self) { try half(info, type: key.type.attributeValue, keyClass: "1") }
            guard key.type != .rsa else { continue }
            for type in ["42", "73"] { #expect(throws: KeyError.self) { try half(info, type: type, keyClass: "0") } }
        }
    }

    private func half(_ bytes: [UInt8], type: String, keyClass: String) throws -> KeyHalf {
        try KeyHalf(externalRepresentation: SecretBytes(bytes), type: type, keyClass: keyClass)
    }

    @Test("generated RSA keys have the exponent 65537")
    func exponent() {
        let tail = SampleKeys.rsa2048.publicKey.externalRepresentation.suffix(5)
        #expect(Array(tail) == [2, 3, 1, 0, 1])
    }

    private func scalar(of key: PrivateKey) throws -> [UInt8] {
        let bytes = try #require(key.externalRepresentation).unprotectedCopy
        return Array(bytes.suffix(key.publicKey.blockSize))
    }

    private func structure(_ key: PrivateKey, publicKey: PublicKey) throws -> SecretBytes {
        let point = DERWriter.bitString(DERTag.bitString, publicKey.externalRepresentation)
        return SecretBytes(
            DERWriter.element(
                0x30,
                [2, 1, 1],
                DERWriter.element(4, try scalar(of: key)),
                DERWriter.element(0xA1, point)
            )
        )
    }
}
