// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainKeys

/// Published answers: ECDSA of RFC 6979 section A.2.5, ECDH of NIST's CAVS.
struct KnownAnswerTests {
    private func key(_ x: String, _ y: String) throws -> PublicKey {
        try PublicKey(externalRepresentation: [4] + [UInt8](hex: x) + [UInt8](hex: y), .ellipticCurve)
    }

    @Test(
        "the signatures of “sample” with P-256 verify",
        arguments: [
            (
                "SHA1", "61340C88C3AAEBEB4F6D667F672CA9759A6CCAA9FA8811313039EE4A35471D32",
                "6D7F147DAC089441BB2E2FE8F7A3FA264B9C475098FDCF6E00D7C996E1B8B7EB"
            ),
            (
                "SHA224", "53B2FFF5D1752B2C689DF257C04C40A587FABABB3F6FC2702F1343AF7CA9AA3F",
                "B9AFB64FDC03DC1A131C7D2386D11E349F070AA432A4ACC918BEA988BF75C74C"
            ),
            (
                "SHA256", "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
                "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
            ),
            (
                "SHA384", "0EAFEA039B20E9B42309FB1D89E213057CBF973DC0CFC8F129EDDDC800EF7719",
                "4861F0491E6998B9455193E34E7B0D284DDD7149A74B95B9261F13ABDE940954"
            ),
            (
                "SHA512", "8496A60B5E9B47C825488827E0495B0E3FA109EC4568FD3F8D1097678EB97F00",
                "2362AB1ADBE2B8ADF9CB9EDAB740EA6049C028114F2460F96554F61FAE3302FE"
            ),
        ]
    )
    func ecdsa(digest: String, r: String, s: String) throws {
        let key = try key(
            "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6",
            "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
        )
        let raw = [UInt8](hex: r) + [UInt8](hex: s)
        let name = "algid:sign:ECDSA:message-RFC4754:\(digest)"
        try key.verify(raw, of: Array("sample".utf8), algorithm: name)
        #expect(throws: KeyError.verificationFailed) { try key.verify(raw, of: Array("simple".utf8), algorithm: name) }
        let der = ECDSASignature(raw: raw).bytes(.x962)
        try key.verify(der, of: Array("sample".utf8), algorithm: "algid:sign:ECDSA:message-X962:\(digest)")
    }

    @Test("the private key of the examples has their public key")
    func pair() throws {
        let scalar = [UInt8](hex: "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
        let der = DERWriter.element(0x30, [2, 1, 1], DERWriter.element(4, scalar))
        let key = try PrivateKey(sec1: SecretBytes(der))
        #expect(
            key.publicKey.externalRepresentation.hex.uppercased()
                == "0460FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
                + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
        )
    }

    @Test("ECDH with P-256", arguments: ["algid:keyexchange:ECDH", "algid:keyexchange:ECDHC"])
    func ecdh(_ name: String) throws {
        let other = try key(
            "700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287",
            "db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac"
        )
        let scalar = [UInt8](hex: "7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534")
        let key = try PrivateKey(sec1: SecretBytes(DERWriter.element(0x30, [2, 1, 1], DERWriter.element(4, scalar))))
        let secret = try key.agree(other, name)
        #expect(secret.hex == "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b")
    }
}
