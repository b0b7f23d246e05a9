// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Testing

/// Derivation of keys, random bytes, and the wrapping of keys.
struct KeyTests {
    @Test(
        arguments: [
            ("password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
            ("password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
            ("password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
            (
                "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
                "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
            ),
            ("pass\0word", "sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
        ]
    )
    func `PBKDF2 answers as RFC 6070 says`(_ password: String, _ salt: String, _ rounds: Int, _ key: String) {
        #expect(
            derive(password, salt: salt, function: kCCPRFHmacAlgSHA1, rounds: rounds, count: key.count / 2)?.hex == key
        )
    }

    @Test(
        arguments: [
            (kCCPRFHmacAlgSHA224, "93200ffa96c5776d38fa10abdf8f5bfc0054b9718513df47"),
            (kCCPRFHmacAlgSHA256, "ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251df"),
            (kCCPRFHmacAlgSHA384, "54f775c6d790f21930459162fc535dbf04a939185127016a"),
            (kCCPRFHmacAlgSHA512, "e1d9c16aa681708a45f5c7c4e215ceb66e011a2e9f004071"),
        ]
    )
    func `PBKDF2 with other functions answers as OpenSSL does`(_ function: Int, _ key: String) {
        #expect(derive("password", salt: "salt", function: function, rounds: 2, count: 24)?.hex == key)
    }

    @Test func `PBKDF2 refuses what means nothing`() {
        var key = [UInt8](repeating: 0, count: 16)
        let function = CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256)
        #expect(
            CCKeyDerivationPBKDF(CCPBKDFAlgorithm(kCCPBKDF2), nil, 0, [1], 1, function, 1, &key, 16) == kCCParamError
        )
        #expect(
            CCKeyDerivationPBKDF(CCPBKDFAlgorithm(kCCPBKDF2), "a", 1, nil, 0, function, 1, &key, 16) == kCCParamError
        )
        #expect(
            CCKeyDerivationPBKDF(CCPBKDFAlgorithm(kCCPBKDF2), "a", 1, [1], 1, function, 0, &key, 16) == kCCParamError
        )
        #expect(CCKeyDerivationPBKDF(CCPBKDFAlgorithm(kCCPBKDF2), "a", 1, [1], 1, 9, 1, &key, 16) == kCCParamError)
        #expect(
            CCKeyDerivationPBKDF(CCPBKDFAlgorithm(kCCPBKDF2), "a", 1, [1], 1, function, 1, &key, 0) == kCCParamError
        )
        #expect(CCKeyDerivationPBKDF(1, "a", 1, [1], 1, function, 1, &key, 16) == kCCParamError)
        #expect(key.allSatisfy { $0 == 0 })
        #expect(
            derive("", salt: "", function: kCCPRFHmacAlgSHA1, rounds: 1, count: 20)?.hex
                == "1e437a1c79d75be61e91141dae20affc4892cc99"
        )
    }

    @Test func `a longer time has at least as many rounds, and never too few`() {
        func rounds(_ milliseconds: UInt32, _ function: Int = kCCPRFHmacAlgSHA1) -> CUnsignedInt {
            CCCalibratePBKDF(CCPBKDFAlgorithm(kCCPBKDF2), 8, 8, CCPseudoRandomAlgorithm(function), 16, milliseconds)
        }
        #expect(rounds(0) == 10_000)
        #expect(rounds(3_600_000) > 10_000)
        #expect(rounds(100, 9) == 0)
    }

    @Test func `random bytes fill all of the memory`() {
        var bytes = [UInt8](repeating: 0, count: 1000)
        #expect(CCRandomGenerateBytes(&bytes, bytes.count) == kCCSuccess)
        // The chance that ten given bytes are all zero is 2^-80.
        #expect(bytes.prefix(10).contains { $0 != 0 } && bytes.suffix(10).contains { $0 != 0 })
        #expect(CCRandomGenerateBytes(nil, 0) == kCCSuccess)
        #expect(CCRandomGenerateBytes(nil, 1) == kCCParamError)
    }

    @Test func `keys are wrapped as RFC 3394, section 4.1 says`() {
        let wrappingKey = [UInt8](0..<16)
        let key = [UInt8](hex: "00112233445566778899aabbccddeeff")
        var (wrapped, count) = ([UInt8](repeating: 0, count: 24), 24)
        #expect(wrap(with: wrappingKey, key: key, into: &wrapped, count: &count) == kCCSuccess)
        #expect(wrapped.hex == "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5")
        #expect(count == CCSymmetricWrappedSize(CCWrappingAlgorithm(kCCWRAPAES), 16))

        var unwrapped = [UInt8](repeating: 0, count: 16)
        count = 16
        #expect(unwrap(with: wrappingKey, key: wrapped, into: &unwrapped, count: &count) == kCCSuccess)
        #expect(unwrapped == key)
        #expect(count == CCSymmetricUnwrappedSize(CCWrappingAlgorithm(kCCWRAPAES), 24))

        count = 15
        #expect(unwrap(with: wrappingKey, key: wrapped, into: &unwrapped, count: &count) == kCCBufferTooSmall)
        #expect(count == 16)
        wrapped[3] ^= 1
        #expect(unwrap(with: wrappingKey, key: wrapped, into: &unwrapped, count: &count) == kCCDecodeError)
        #expect(unwrap(with: [1], key: wrapped, into: &unwrapped, count: &count) == kCCKeySizeError)
        #expect(wrap(with: wrappingKey, key: [1], into: &wrapped, count: &count) == kCCParamError)
    }

    private func derive(_ password: String, salt: String, function: Int, rounds: Int, count: Int) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: count)
        let status = CCKeyDerivationPBKDF(
            CCPBKDFAlgorithm(kCCPBKDF2),
            password,
            password.utf8.count,
            Array(salt.utf8) + [0],
            salt.utf8.count,
            CCPseudoRandomAlgorithm(function),
            CUnsignedInt(rounds),
            &key,
            count
        )
        return status == kCCSuccess ? key : nil
    }

    private func wrap(with wrappingKey: [UInt8], key: [UInt8], into output: inout [UInt8], count: inout Int) -> Int {
        apply(CCSymmetricKeyWrap, with: wrappingKey, key: key, into: &output, count: &count)
    }

    private func unwrap(with wrappingKey: [UInt8], key: [UInt8], into output: inout [UInt8], count: inout Int) -> Int {
        apply(CCSymmetricKeyUnwrap, with: wrappingKey, key: key, into: &output, count: &count)
    }

    private typealias KeyFunction = (
        CCWrappingAlgorithm, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int,
        UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?
    ) -> CInt

    private func apply(
        _ function: KeyFunction,
        with wrappingKey: [UInt8],
        key: [UInt8],
        into output: inout [UInt8],
        count: inout Int
    ) -> Int {
        let algorithm = CCWrappingAlgorithm(kCCWRAPAES)
        let (vector, length) = (CCrfc3394_iv, CCrfc3394_ivLen)
        return Int(
            function(algorithm, vector, length, wrappingKey, wrappingKey.count, key, key.count, &output, &count)
        )
    }
}
