// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainKeys

/// What the strings of the algorithms mean.
struct AlgorithmTableTests {
    @Test(
        "every row of the table has a meaning, and no two the same but for the cofactor",
        arguments: KeyAlgorithmTable.rows
    )
    func rows(_ row: KeyAlgorithmTable.Row) throws {
        let algorithm = try #require(KeyAlgorithm(row.value))
        let same = KeyAlgorithmTable.rows.filter { KeyAlgorithm($0.value) == algorithm }.map(\.value)
        let plain = Set(same.map { $0.replacing("ECDHC", with: "ECDH") })
        let isDeprecated = row.value.hasSuffix("ECDSA:RFC4754") || row.value.hasSuffix("digest-RFC4754")
        #expect(plain.count == (isDeprecated ? 2 : 1))
    }

    @Test(
        "the parts of a string are read",
        arguments: [
            ("algid:sign:ECDSA:message-X962:SHA256", KeyAlgorithm.Scheme.ecdsa(.x962, .message(.sha256))),
            ("algid:sign:ECDSA:digest-X962:SHA224", .ecdsa(.x962, .digest(.sha224))),
            ("algid:sign:ECDSA:digest-X962", .ecdsa(.x962, .bytes)),
            ("algid:sign:ECDSA:RFC4754", .ecdsa(.rfc4754, .bytes)),
            ("algid:sign:ECDSA:message-RFC4754:SHA512", .ecdsa(.rfc4754, .message(.sha512))),
            ("algid:sign:RSA:raw", .rsaSignature(.raw, .bytes)),
            ("algid:sign:RSA:digest-PKCS1v15", .rsaSignature(.pkcs1, .bytes)),
            ("algid:sign:RSA:digest-PKCS1v15:SHA1", .rsaSignature(.pkcs1, .digest(.sha1))),
            ("algid:sign:RSA:message-PSS:SHA224:SHA224:24", .rsaSignature(.pss, .message(.sha224))),
            ("algid:encrypt:RSA:raw", .rsaEncryption(.raw)),
            ("algid:encrypt:RSA:PKCS1", .rsaEncryption(.pkcs1)),
            ("algid:encrypt:RSA:OAEP:SHA384", .rsaEncryption(.oaep(.sha384))),
            ("algid:encrypt:RSA:OAEP:SHA1:AESGCM", .rsaHybrid(.sha1)),
            ("algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM", .ecies(.sha1, .zero)),
            ("algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV", .ecies(.sha256, .derived)),
            ("algid:keyexchange:ECDH", .keyExchange(nil)),
            ("algid:keyexchange:ECDHC:KDFX963:SHA512", .keyExchange(.sha512)),
        ]
    )
    func meaning(_ name: String, _ scheme: KeyAlgorithm.Scheme) throws {
        #expect(try #require(KeyAlgorithm(name)).scheme == scheme)
    }

    @Test(
        "other strings have none",
        arguments: ["", "algid", "algid:sign:RSA", "algid:sign:RSA:raw ", "algid:sign:EdDSA"]
    )
    func others(_ name: String) {
        #expect(KeyAlgorithm(name) == nil)
    }

    @Test("an operation goes with its half of a pair and its family")
    func support() throws {
        func supported(_ key: PrivateKey, _ operation: KeyOperation) -> Int {
            KeyAlgorithmTable.rows.compactMap { KeyAlgorithm($0.value) }.filter { key.supports(operation, $0) }.count
        }
        func supported(_ key: PublicKey, _ operation: KeyOperation) -> Int {
            KeyAlgorithmTable.rows.compactMap { KeyAlgorithm($0.value) }.filter { key.supports(operation, $0) }.count
        }
        for key in SampleKeys.curves {
            #expect(KeyOperation.allCases.map { supported(key, $0) } == [23, 0, 0, 18, 12])
            #expect(KeyOperation.allCases.map { supported(key.publicKey, $0) } == [0, 23, 18, 0, 0])
        }
        #expect(KeyOperation.allCases.map { supported(SampleKeys.rsa2048, $0) } == [22, 0, 0, 12, 0])
        #expect(KeyOperation.allCases.map { supported(SampleKeys.rsa2048.publicKey, $0) } == [0, 22, 12, 1, 0])
    }

    @Test("a key that is too small for a padding does not have the algorithm")
    func smallKeys() throws {
        let key = SampleKeys.rsa1024
        let names = ["sign:RSA:message-PSS:SHA512:SHA512:64", "sign:RSA:digest-PSS:SHA512:SHA512:64"]
        for name in names { #expect(!key.supports(.sign, try #require(KeyAlgorithm("algid:\(name)")))) }
        for name in ["encrypt:RSA:OAEP:SHA512", "encrypt:RSA:OAEP:SHA512:AESGCM"] {
            #expect(!key.supports(.decrypt, try #require(KeyAlgorithm("algid:\(name)"))))
        }
        #expect(throws: KeyError.unsupportedAlgorithm) { try key.sign([1], "algid:\(names[0])") }
        #expect(key.supports(.decrypt, try #require(KeyAlgorithm("algid:encrypt:RSA:OAEP:SHA384:AESGCM"))))
    }
}
