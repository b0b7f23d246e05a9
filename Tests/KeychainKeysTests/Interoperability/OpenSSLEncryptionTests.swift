// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainKeys

/// RSA encryption and key exchange between OpenSSL and us, both ways.
struct OpenSSLEncryptionTests {
    private static let options: [(String, [String])] =
        [
            ("PKCS1", ["rsa_padding_mode:pkcs1"]), ("raw", ["rsa_padding_mode:none"]),
        ]
        + DigestAlgorithm.allCases.map { digest in
            let name = digest.rawValue.lowercased()
            return (
                "OAEP:\(digest.rawValue)",
                ["rsa_padding_mode:oaep", "rsa_oaep_md:\(name)", "rsa_mgf1_md:\(name)"]
            )
        }

    @Test("RSA", arguments: options)
    func rsa(_ padding: String, _ options: [String]) throws {
        let key = SampleKeys.rsa2048
        let name = "algid:encrypt:RSA:\(padding)"
        let text = Array(0..<(padding == "raw" ? 256 : 100)).map { UInt8(truncatingIfNeeded: $0) }
        let flags = options.flatMap { ["-pkeyopt", $0] }
        let files = [
            "key": try #require(key.pkcs8).unprotectedCopy, "public": key.publicKey.subjectPublicKeyInfo, "text": text,
            "ours": try key.publicKey.encrypt(text, name),
        ]
        let decrypt = ["pkeyutl", "-decrypt", "-inkey", "key", "-keyform", "DER", "-in", "ours"] + flags
        #expect(try Tool.output("openssl", decrypt, files: files) == text)
        let encrypt = ["pkeyutl", "-encrypt", "-pubin", "-inkey", "public", "-keyform", "DER", "-in", "text"] + flags
        let theirs = try Tool.output("openssl", encrypt, files: files)
        #expect(try key.decrypt(theirs, name) == text)
    }

    @Test("ECDH", arguments: [256, 384, 521])
    func ecdh(_ size: Int) throws {
        let key = try #require(SampleKeys.curves.first { $0.sizeInBits == size })
        let other = try PrivateKey(generating: .ellipticCurve, sizeInBits: size)
        let files = [
            "key": try #require(key.pkcs8).unprotectedCopy, "public": other.publicKey.subjectPublicKeyInfo,
        ]
        let derive = [
            "pkeyutl", "-derive", "-inkey", "key", "-keyform", "DER", "-peerkey", "public", "-peerform", "DER",
        ]
        #expect(
            try Tool.output("openssl", derive, files: files) == other.agree(key.publicKey, "algid:keyexchange:ECDH")
        )
    }
}
