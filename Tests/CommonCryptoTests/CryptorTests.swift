// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Testing

/// CommonCryptor.h against SP 800-38A, appendix F, and what it answers when something is wrong.
struct CryptorTests {
    private static let key128 = [UInt8](hex: "2b7e151628aed2a6abf7158809cf4f3c")
    private static let key192 = [UInt8](hex: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b")
    private static let key256 = [UInt8](hex: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    private static let vector = [UInt8](0..<16)
    private static let counter = [UInt8](0xF0...0xFF)
    private static let plaintext = [UInt8](
        hex: "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
            + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
    )

    struct KnownAnswer: CustomTestStringConvertible {
        let testDescription: String
        let mode: Int
        let key: [UInt8]
        let vector: [UInt8]
        let ciphertext: String
    }

    private static let answers = [
        KnownAnswer(
            testDescription: "F.1.1 ECB-AES128",
            mode: kCCModeECB,
            key: key128,
            vector: vector,
            ciphertext: "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
                + "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
        ),
        KnownAnswer(
            testDescription: "F.2.1 CBC-AES128",
            mode: kCCModeCBC,
            key: key128,
            vector: vector,
            ciphertext: "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
        ),
        KnownAnswer(
            testDescription: "F.2.3 CBC-AES192",
            mode: kCCModeCBC,
            key: key192,
            vector: vector,
            ciphertext: "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
                + "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"
        ),
        KnownAnswer(
            testDescription: "F.2.5 CBC-AES256",
            mode: kCCModeCBC,
            key: key256,
            vector: vector,
            ciphertext: "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
                + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
        ),
        KnownAnswer(
            testDescription: "F.5.1 CTR-AES128",
            mode: kCCModeCTR,
            key: key128,
            vector: counter,
            ciphertext: "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                + "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
        ),
    ]

    @Test(arguments: answers) func `examples of SP 800-38A, whole and in parts of any length`(
        _ answer: KnownAnswer
    ) throws {
        let ciphertext = [UInt8](hex: answer.ciphertext)
        for count in 1...64 {
            for (operation, input, output) in [
                (kCCEncrypt, Self.plaintext, ciphertext), (kCCDecrypt, ciphertext, Self.plaintext),
            ] {
                let cryptor = try TestCryptor(operation, mode: answer.mode, key: answer.key, vector: answer.vector)
                #expect(try cryptor.transform(input, inPartsOf: count) == output, "\(operation), \(count)")
                try cryptor.reset(answer.vector)
                #expect(try cryptor.transform(input, inPartsOf: 64) == output, "after a reset")
            }
        }
    }

    @Test(arguments: 0...48) func `padded messages of any length come back`(_ count: Int) throws {
        let message = [UInt8](repeating: 7, count: count)
        for options in [kCCOptionPKCS7Padding, kCCOptionPKCS7Padding | kCCOptionECBMode] {
            let sealed = crypt(kCCEncrypt, options: options, input: message, room: 64)
            #expect(sealed.status == kCCSuccess)
            #expect(sealed.output.count == count / 16 * 16 + 16)
            let opened = crypt(kCCDecrypt, options: options, input: sealed.output, room: count)
            #expect(opened.status == kCCSuccess)
            #expect(opened.output == message)
        }
        let mode = options(padding: ccPKCS7Padding)
        for part in [1, 5, 16, 17] {
            let sealed = try TestCryptor(
                kCCEncrypt,
                mode: kCCModeCBC,
                key: Self.key128,
                vector: Self.vector,
                padding: mode
            )
            .transform(message, inPartsOf: part)
            #expect(sealed == crypt(kCCEncrypt, options: kCCOptionPKCS7Padding, input: message, room: 64).output)
            let opened = try TestCryptor(
                kCCDecrypt,
                mode: kCCModeCBC,
                key: Self.key128,
                vector: Self.vector,
                padding: mode
            )
            .transform(sealed, inPartsOf: part)
            #expect(opened == message)
        }
    }

    @Test func `the counter carries over all its bytes`() throws {
        let last = [UInt8](repeating: 0xFF, count: 16)
        let stream = try TestCryptor(kCCEncrypt, mode: kCCModeCTR, key: Self.key128, vector: last)
            .transform([UInt8](repeating: 0, count: 32), inPartsOf: 5)
        let blocks = last + [UInt8](repeating: 0, count: 16)
        #expect(stream == crypt(kCCEncrypt, options: kCCOptionECBMode, input: blocks, room: 32).output)
    }

    @Test func `no initialization vector stands for zeros`() throws {
        let zeros = [UInt8](repeating: 0, count: 16)
        let result = crypt(kCCEncrypt, options: 0, input: Self.plaintext, vector: nil, room: 64)
        #expect(result.output == crypt(kCCEncrypt, options: 0, input: Self.plaintext, vector: zeros, room: 64).output)
        #expect(result.output.count == 64)
    }

    @Test func `input and output may be the same memory`() {
        var buffer = Self.plaintext + [UInt8](repeating: 0, count: 16)
        var moved = 0
        let status = buffer.withUnsafeMutableBytes { bytes in
            CCCrypt(
                CCOperation(kCCEncrypt),
                CCAlgorithm(kCCAlgorithmAES),
                CCOptions(kCCOptionPKCS7Padding),
                Self.key128,
                16,
                Self.vector,
                bytes.baseAddress,
                64,
                bytes.baseAddress,
                80,
                &moved
            )
        }
        #expect(status == kCCSuccess)
        #expect(buffer == crypt(kCCEncrypt, options: kCCOptionPKCS7Padding, input: Self.plaintext, room: 80).output)
    }

    @Test func `an output that is too small says the size, and is not touched`() {
        let sealed = crypt(kCCEncrypt, options: kCCOptionPKCS7Padding, input: Array("secret".utf8), room: 16).output
        for (operation, input, needed) in [(kCCEncrypt, Array("secret".utf8), 16), (kCCDecrypt, sealed, 6)] {
            for room in [0, needed - 1] {
                let result = crypt(operation, options: kCCOptionPKCS7Padding, input: input, room: room)
                #expect(result.status == kCCBufferTooSmall)
                #expect(result.moved == needed)
                #expect(result.output == [UInt8](repeating: 0, count: room))
            }
            #expect(crypt(operation, options: kCCOptionPKCS7Padding, input: input, room: needed).status == kCCSuccess)
        }
    }

    @Test func `a step whose output is too small can be repeated`() throws {
        let cryptor = try TestCryptor(
            kCCEncrypt,
            mode: kCCModeCBC,
            key: Self.key128,
            vector: Self.vector,
            padding: options(padding: ccPKCS7Padding)
        )
        #expect(cryptor.update(Self.plaintext, room: 63) == (CCCryptorStatus(kCCBufferTooSmall), [], 64))
        #expect(cryptor.outputLength(64, final: false) == 64)
        #expect(cryptor.outputLength(64, final: true) == 80)
        let first = cryptor.update(Self.plaintext, room: 64)
        #expect(cryptor.final(room: 15) == (CCCryptorStatus(kCCBufferTooSmall), [], 16))
        let last = cryptor.final(room: 16)
        #expect(
            first.output + last.output
                == crypt(kCCEncrypt, options: kCCOptionPKCS7Padding, input: Self.plaintext, room: 80).output
        )
        #expect(cryptor.update([1], room: 16).status == kCCCallSequenceError)
        #expect(cryptor.final(room: 16).status == kCCCallSequenceError)
    }

    @Test func `what is no whole number of blocks, or has no valid padding, is refused`() {
        #expect(crypt(kCCEncrypt, options: 0, input: [1], room: 16).status == kCCAlignmentError)
        #expect(crypt(kCCDecrypt, options: 0, input: [1], room: 16).status == kCCAlignmentError)
        let sealed = crypt(kCCEncrypt, options: kCCOptionPKCS7Padding, input: Self.plaintext, room: 80).output
        // Observed: https://stackoverflow.com/questions/11437995/cccrypt-decryption-results-in-4304
        #expect(
            crypt(kCCDecrypt, options: kCCOptionPKCS7Padding, input: sealed + [0, 0, 0, 0], room: 96).status
                == kCCDecodeError
        )
        #expect(crypt(kCCDecrypt, options: kCCOptionPKCS7Padding, input: [], room: 16).status == kCCDecodeError)
        for padding in [[0x00], [0x11], [0x02], [0x01, 0x03, 0x03]] as [[UInt8]] {
            let block = [UInt8](repeating: 0xAA, count: 16 - padding.count) + padding
            let input = crypt(kCCEncrypt, options: 0, input: block, room: 16).output
            let result = crypt(kCCDecrypt, options: kCCOptionPKCS7Padding, input: input, room: 16)
            #expect(result.status == kCCDecodeError)
            #expect(result.output.allSatisfy { $0 == 0 })
        }
    }

    @Test func `arguments that mean nothing are refused`() {
        func status(
            _ operation: Int = kCCEncrypt,
            algorithm: Int = kCCAlgorithmAES,
            options: Int = 0,
            key: [UInt8]? = CryptorTests.key128,
            mode: Int? = nil
        ) -> Int {
            var cryptor: CCCryptorRef?
            defer { #expect(cryptor == nil || CCCryptorRelease(cryptor) == kCCSuccess) }
            if let mode {
                return Int(
                    CCCryptorCreateWithMode(
                        CCOperation(operation),
                        CCMode(mode),
                        CCAlgorithm(algorithm),
                        CCPadding(ccNoPadding),
                        nil,
                        key,
                        key?.count ?? 16,
                        nil,
                        0,
                        0,
                        CCModeOptions(options),
                        &cryptor
                    )
                )
            }
            return Int(
                CCCryptorCreate(
                    CCOperation(operation),
                    CCAlgorithm(algorithm),
                    CCOptions(options),
                    key,
                    key?.count ?? 16,
                    nil,
                    &cryptor
                )
            )
        }
        #expect(status() == kCCSuccess)
        #expect(status(2) == kCCParamError)
        #expect(status(key: nil) == kCCParamError)
        #expect(status(key: []) == kCCParamError || status(key: []) == kCCKeySizeError)
        #expect(status(key: [1]) == kCCKeySizeError)
        #expect(status(kCCEncrypt, algorithm: kCCAlgorithmAES, options: 4) == kCCParamError)
        #expect(status(kCCEncrypt, algorithm: 99) == kCCParamError)
        for algorithm in kCCAlgorithmDES...kCCAlgorithmBlowfish {
            #expect(status(kCCEncrypt, algorithm: algorithm) == kCCUnimplemented)
        }
        for mode in [kCCModeCFB, kCCModeOFB, kCCModeRC4, kCCModeCFB8] {
            #expect(status(mode: mode) == kCCUnimplemented)
        }
        #expect(
            status(kCCEncrypt, algorithm: kCCAlgorithmAES, options: kCCModeOptionCTR_BE, mode: kCCModeCTR) == kCCSuccess
        )
        #expect(
            status(kCCEncrypt, algorithm: kCCAlgorithmAES, options: kCCModeOptionCTR_LE, mode: kCCModeCTR)
                == kCCUnimplemented
        )
        #expect(CCCryptorCreate(0, 0, 0, Self.key128, 16, nil, nil) == kCCParamError)
        #expect(CCCryptorRelease(nil) == kCCParamError)
        #expect(CCCryptorFinal(nil, nil, 0, nil) == kCCParamError)
        #expect(CCCryptorGetOutputLength(nil, 16, true) == 0)
    }

    private func options(padding: Int) -> CCPadding { CCPadding(padding) }

    private func crypt(
        _ operation: Int,
        options: Int,
        input: [UInt8],
        vector: [UInt8]? = vector,
        room: Int
    ) -> (status: Int, output: [UInt8], moved: Int) {
        var output = [UInt8](repeating: 0, count: room)
        var moved = 0
        let status = CCCrypt(
            CCOperation(operation),
            CCAlgorithm(kCCAlgorithmAES128),
            CCOptions(options),
            Self.key128,
            Self.key128.count,
            vector,
            input,
            input.count,
            &output,
            room,
            &moved
        )
        return (Int(status), status == kCCSuccess ? Array(output.prefix(moved)) : output, moved)
    }
}
