// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// The functions with paddings and buffers.
struct OlderKeyFunctionTests {
    private static let digest = (0..<32).map { UInt8($0) }

    private func sign(with key: SecKey, padding: SecPadding, data: [UInt8], room: Int = 256) -> (OSStatus, [UInt8]) {
        var (signature, count) = (Array(repeating: 0xA5 as UInt8, count: 300), room)
        let status = SecKeyRawSign(key, padding, data, data.count, &signature, &count)
        if status != errSecSuccess { #expect(count == room && !signature.contains { $0 != 0xA5 }) }
        return (status, Array(signature.prefix(status == errSecSuccess ? count : 0)))
    }

    private func verify(with key: SecKey, padding: SecPadding, data: [UInt8], signature: [UInt8]) -> OSStatus {
        SecKeyRawVerify(key, padding, data, data.count, signature, signature.count)
    }

    @Test(
        "RSA signatures are those of the newer functions",
        arguments: [
            (SecPadding.PKCS1, SecKeyAlgorithm.rsaSignatureDigestPKCS1v15Raw, 32), (SecPadding(), .rsaSignatureRaw, 32),
            (.PKCS1SHA1, .rsaSignatureDigestPKCS1v15SHA1, 20), (.PKCS1SHA224, .rsaSignatureDigestPKCS1v15SHA224, 28),
            (.PKCS1SHA256, .rsaSignatureDigestPKCS1v15SHA256, 32),
            (.PKCS1SHA384, .rsaSignatureDigestPKCS1v15SHA384, 48),
            (.PKCS1SHA512, .rsaSignatureDigestPKCS1v15SHA512, 64),
        ]
    )
    func rsaSignatures(padding: SecPadding, algorithm: SecKeyAlgorithm, count: Int) throws {
        let pair = KeyPairs.rsa
        let digest = (1...count).map { UInt8($0) }
        let (status, signature) = sign(with: pair.privateKey, padding: padding, data: digest)
        #expect(status == errSecSuccess)
        #expect(
            Data(signature) == KeyCalls.sign(with: pair.privateKey, algorithm: algorithm, data: Data(digest)).result
        )
        #expect(verify(with: pair.publicKey, padding: padding, data: digest, signature: signature) == errSecSuccess)
        #expect(
            verify(with: pair.publicKey, padding: padding, data: digest, signature: Array(signature.dropLast()))
                == -9809
        )
        #expect(
            verify(with: pair.publicKey, padding: padding, data: Array(digest.reversed()), signature: signature)
                == -9809
        )
        #expect(sign(with: pair.privateKey, padding: padding, data: digest, room: 255).0 == errSecParam)
        #expect(sign(with: pair.publicKey, padding: padding, data: digest).0 == errSecParam)
    }

    @Test("ECDSA signatures in DER, and raw")
    func ecdsa() throws {
        let pair = KeyPairs.p256
        for padding in [SecPadding.PKCS1, [], .PKCS1SHA256] {
            let (status, signature) = sign(with: pair.privateKey, padding: padding, data: Self.digest)
            #expect(status == errSecSuccess && signature.first == 0x30)
            #expect(
                verify(with: pair.publicKey, padding: padding, data: Self.digest, signature: signature) == errSecSuccess
            )
            let data = Data(Self.digest)
            let status2 = KeyCalls.verify(
                with: pair.publicKey,
                algorithm: .ecdsaSignatureDigestX962SHA256,
                data: data,
                signature: Data(signature)
            )
            #expect(status2 == errSecSuccess)
        }
        let (status, raw) = sign(with: pair.privateKey, padding: .sigRaw, data: Self.digest)
        #expect(status == errSecSuccess && raw.count == 64)
        #expect(verify(with: pair.publicKey, padding: .sigRaw, data: Self.digest, signature: raw) == errSecSuccess)
        #expect(verify(with: pair.publicKey, padding: .PKCS1, data: Self.digest, signature: raw) == -9809)
        #expect(sign(with: pair.privateKey, padding: .sigRaw, data: Self.digest, room: 63).0 == errSecParam)
    }

    @Test("encryption and decryption, without more room than there is")
    func encryption() {
        let pair = KeyPairs.rsa
        for padding in [SecPadding.PKCS1, .OAEP, []] {
            var (ciphertext, count) = (Array(repeating: 0 as UInt8, count: 256), 256)
            let plaintext: [UInt8] = [7, 0, 9]
            #expect(SecKeyEncrypt(pair.publicKey, padding, plaintext, 3, &ciphertext, &count) == errSecSuccess)
            #expect(count == 256)
            var (result, room) = (Array(repeating: 0xA5 as UInt8, count: 256), 3)
            #expect(SecKeyDecrypt(pair.privateKey, padding, ciphertext, count, &result, &room) == errSecSuccess)
            #expect(room == 3 && Array(result.prefix(4)) == plaintext + [0xA5])
            (result, room) = (Array(repeating: 0xA5, count: 256), 2)
            #expect(SecKeyDecrypt(pair.privateKey, padding, ciphertext, count, &result, &room) == errSecParam)
            #expect(room == 2 && !result.contains { $0 != 0xA5 })
            var small = 255
            #expect(SecKeyEncrypt(pair.publicKey, padding, plaintext, 3, &ciphertext, &small) == errSecParam)
        }
    }

    @Test("paddings, keys and lengths that do not go together are errSecParam")
    func refused() {
        let (rsa, curve) = (KeyPairs.rsa, KeyPairs.p256)
        for padding in [SecPadding.PKCS1MD5, .PKCS1MD2, .OAEP, .sigRaw, SecPadding(rawValue: 0x1234)] {
            #expect(sign(with: rsa.privateKey, padding: padding, data: Self.digest).0 == errSecParam)
        }
        #expect(sign(with: rsa.privateKey, padding: .PKCS1SHA1, data: Self.digest).0 == errSecParam)
        var (buffer, count) = (Array(repeating: 0 as UInt8, count: 256), 256)
        for (key, padding) in [
            (rsa.publicKey, SecPadding.PKCS1SHA1), (curve.publicKey, .PKCS1), (rsa.privateKey, .PKCS1),
        ] {
            #expect(SecKeyEncrypt(key, padding, Self.digest, 32, &buffer, &count) == errSecParam)
        }
        #expect(SecKeyDecrypt(curve.privateKey, .PKCS1, Self.digest, 32, &buffer, &count) == errSecParam)
        #expect(SecKeyRawSign(rsa.privateKey, .PKCS1, Self.digest, -1, &buffer, &count) == errSecParam)
        #expect(SecKeyRawVerify(rsa.publicKey, .PKCS1, Self.digest, 32, Self.digest, -1) == errSecParam)
        #expect(count == 256)
    }

    @Test("raw pointers reach the same functions")
    func rawPointers() {
        let signature = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 1)
        defer { signature.deallocate() }
        var count = 256
        Self.digest.withUnsafeBytes { digest in
            let status = SecKeyRawSign(
                KeyPairs.rsa.privateKey,
                .PKCS1SHA256,
                digest.baseAddress!,
                32,
                signature,
                &count
            )
            #expect(status == errSecSuccess)
            let verified = SecKeyRawVerify(
                KeyPairs.rsa.publicKey,
                .PKCS1SHA256,
                digest.baseAddress!,
                32,
                UnsafeRawPointer(signature),
                count
            )
            #expect(verified == errSecSuccess)
        }
    }
}
