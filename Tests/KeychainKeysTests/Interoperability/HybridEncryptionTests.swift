// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainKeys

/// The algorithms that are made of several, against Python's `cryptography`, step by step as others who talk to Apple's
/// devices carry them out.
struct HybridEncryptionTests {
    /// Reads lines of a scheme, a digest, a PKCS #8 key and a ciphertext; writes for each the plaintext, and a
    /// ciphertext of it that was made there.
    private static let script = """
        import os, sys
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, padding
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF

        def point(key):
            form = serialization.PublicFormat.UncompressedPoint
            return key.public_bytes(serialization.Encoding.X962, form)

        def cipher(scheme, digest, secret, shared, curve):
            size = 16 if curve.key_size <= 256 else 32
            derived = X963KDF(digest, size + (16 if scheme == 'derived' else 0), shared).derive(secret)
            return AESGCM(derived[:size]), derived[size:] or bytes(16)

        for line in sys.stdin:
            scheme, name, der, sealed = line.split()
            digest = getattr(hashes, name)()
            key = serialization.load_der_private_key(bytes.fromhex(der), None)
            sealed = bytes.fromhex(sealed)
            if scheme == 'rsa':
                form = serialization.PublicFormat.PKCS1
                public = key.public_key().public_bytes(serialization.Encoding.DER, form)
                block, oaep = key.key_size // 8, padding.OAEP(padding.MGF1(digest), digest, None)
                session = key.decrypt(sealed[:block], oaep)
                assert len(session) == (32 if key.key_size >= 4096 else 16)
                text = AESGCM(session).decrypt(bytes(16), sealed[block:], public)
                session = os.urandom(len(session))
                made = key.public_key().encrypt(session, oaep) + AESGCM(session).encrypt(bytes(16), text, public)
            else:
                size = 1 + 2 * ((key.curve.key_size + 7) // 8)
                peer = ec.EllipticCurvePublicKey.from_encoded_point(key.curve, sealed[:size])
                gcm, nonce = cipher(scheme, digest, key.exchange(ec.ECDH(), peer), sealed[:size], key.curve)
                text = gcm.decrypt(nonce, sealed[size:], None)
                pair = ec.generate_private_key(key.curve)
                shared = point(pair.public_key())
                gcm, nonce = cipher(scheme, digest, pair.exchange(ec.ECDH(), key.public_key()), shared, key.curve)
                made = shared + gcm.encrypt(nonce, text, None)
            print(text.hex(), made.hex())
        """

    private struct Case {
        let scheme: String
        let algorithm: String
        let digest: String
        let key: PrivateKey
        let text: [UInt8]
    }

    /// Every ECIES and AES-GCM algorithm, with each key that has it.
    private func cases() throws -> [Case] {
        try KeyAlgorithmTable.rows.map(\.value).filter { $0.contains("AESGCM") }.flatMap { name -> [Case] in
            let words = name.split(separator: ":")
            let digest = try #require(words.first { $0.hasPrefix("SHA") })
            let scheme = name.contains("RSA") ? "rsa" : name.hasSuffix("KDFIV") ? "derived" : "zero"
            let algorithm = try #require(KeyAlgorithm(name))
            let keys = (SampleKeys.all + [Self.rsa4096]).filter { $0.supports(.decrypt, algorithm) }
            return keys.map { key in
                let text = Array("\(name) with \(key.sizeInBits) bits".utf8)
                return Case(scheme: scheme, algorithm: name, digest: String(digest), key: key, text: text)
            }
        }
    }

    /// A key that is large enough for AES with 256 bits, from a program that makes it quickly enough.
    private static let rsa4096: PrivateKey = {
        do {
            let pem = try Tool.output("openssl", ["genrsa", "4096"])
            let convert = ["pkcs8", "-topk8", "-nocrypt", "-in", "key", "-outform", "DER"]
            let der = try Tool.output("openssl", convert, files: ["key": pem])
            return try PrivateKey(pkcs8: SecretBytes(der))
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    @Test("every hybrid algorithm, both ways")
    func exchange() throws {
        let cases = try cases()
        #expect(cases.count == 18 * 3 + 15 - 1)
        let lines = try cases.map { row in
            let sealed = try row.key.publicKey.encrypt(row.text, row.algorithm)
            return "\(row.scheme) \(row.digest) \(try #require(row.key.pkcs8).unprotectedCopy.hex) \(sealed.hex)\n"
        }
        let output = try Tool.output("python3", ["-c", Self.script], input: lines.joined())
        let answers = String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
        try #require(answers.count == cases.count)
        for (row, answer) in zip(cases, answers) {
            #expect(String(answer[0]) == row.text.hex, "\(row.algorithm)")
            let theirs = try row.key.decrypt([UInt8](hex: String(answer[1])), row.algorithm)
            #expect(theirs == row.text, "\(row.algorithm)")
        }
    }
}
