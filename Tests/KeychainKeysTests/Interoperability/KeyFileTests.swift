// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainKeys

/// Key files that OpenSSL and OpenSSH write, and what they read of ours.
struct KeyFileTests {
    /// The bytes between the lines of a PEM file.
    private func der(_ pem: [UInt8]) throws -> [UInt8] {
        let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n")
        let start = try #require(lines.lastIndex { $0.hasPrefix("-----BEGIN") })
        let body = lines[(start + 1)...].prefix { !$0.hasPrefix("-----END") }.joined()
        return Array(try #require(Data(base64Encoded: body)))
    }

    private func publicKey(of privatePEM: [UInt8]) throws -> PublicKey {
        let arguments = ["pkey", "-in", "key", "-pubout", "-outform", "DER"]
        return try PublicKey(subjectPublicKeyInfo: try Tool.output("openssl", arguments, files: ["key": privatePEM]))
    }

    @Test("curves' keys of OpenSSL: SEC 1, PKCS #8, and both without the public key", arguments: [256, 384, 521])
    func openSSLCurves(_ size: Int) throws {
        let name = [256: "prime256v1", 384: "secp384r1", 521: "secp521r1"][size] ?? ""
        let pem = try Tool.output("openssl", ["ecparam", "-name", name, "-genkey", "-noout"])
        let expected = try publicKey(of: pem)
        #expect(try PrivateKey(sec1: SecretBytes(try der(pem))).publicKey == expected)
        let variants = [
            ["pkcs8", "-topk8", "-nocrypt", "-in", "key"], ["ec", "-in", "key", "-no_public"],
        ]
        let (pkcs8, bare) = (
            try Tool.output("openssl", variants[0], files: ["key": pem]),
            try Tool.output("openssl", variants[1], files: ["key": pem])
        )
        #expect(try PrivateKey(pkcs8: SecretBytes(try der(pkcs8))).publicKey == expected)
        #expect(try PrivateKey(sec1: SecretBytes(try der(bare))).publicKey == expected)
        let bareInside = try Tool.output("openssl", variants[0], files: ["key": bare])
        #expect(try PrivateKey(pkcs8: SecretBytes(try der(bareInside))).publicKey == expected)
    }

    @Test("RSA keys of OpenSSL: PKCS #1 and PKCS #8")
    func openSSLRSA() throws {
        let pem = try Tool.output("openssl", ["genrsa", "-traditional", "1024"])
        let expected = try publicKey(of: pem)
        let pkcs1 = SecretBytes(try der(pem))
        #expect(try PrivateKey(externalRepresentation: pkcs1, .rsa).publicKey == expected)
        let pkcs8 = try Tool.output("openssl", ["pkcs8", "-topk8", "-nocrypt", "-in", "key"], files: ["key": pem])
        #expect(try PrivateKey(pkcs8: SecretBytes(try der(pkcs8))).externalRepresentation == pkcs1)
        let publicPEM = try Tool.output("openssl", ["rsa", "-in", "key", "-RSAPublicKey_out"], files: ["key": pem])
        #expect(try PublicKey(externalRepresentation: try der(publicPEM), .rsa) == expected)
    }

    @Test("RSA keys of lengths that are no multiple of anything", arguments: [1025, 1030, 1535, 2047])
    func oddLengths(_ size: Int) throws {
        let pem = try Tool.output("openssl", ["genrsa", "-traditional", "\(size)"])
        let key = try PrivateKey(externalRepresentation: SecretBytes(try der(pem)), .rsa)
        #expect(try key.sizeInBits == size && key.publicKey == publicKey(of: pem))
        for name in ["message-PKCS1v15:SHA256", "message-PSS:SHA256:SHA256:32", "message-PSS:SHA224:SHA224:24"] {
            let signature = try key.sign([1, 2, 3], "algid:sign:RSA:\(name)")
            try key.publicKey.verify(signature, of: [1, 2, 3], algorithm: "algid:sign:RSA:\(name)")
        }
        for name in ["PKCS1", "OAEP:SHA1", "OAEP:SHA224", "OAEP:SHA256", "OAEP:SHA256:AESGCM"] {
            let name = "algid:encrypt:RSA:\(name)"
            #expect(try key.decrypt(key.publicKey.encrypt([4, 5], name), name) == [4, 5])
        }
    }

    @Test("keys of ssh-keygen", arguments: [("rsa", 1024), ("ecdsa", 256), ("ecdsa", 521)], ["PEM", "PKCS8"])
    func openSSH(_ key: (type: String, size: Int), _ format: String) throws {
        let folder = try TemporaryFolder()
        let arguments = ["-q", "-t", key.type, "-b", "\(key.size)", "-m", format, "-N", "", "-f", "key"]
        _ = try Tool.output("ssh-keygen", arguments, in: folder)
        let pem = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "key"))))
        let bytes = SecretBytes(try der(pem))
        let read =
            switch (format, key.type) {
            case ("PKCS8", _): try PrivateKey(pkcs8: bytes)
            case (_, "rsa"): try PrivateKey(externalRepresentation: bytes, .rsa)
            default: try PrivateKey(sec1: bytes)
            }
        #expect(try read.publicKey == publicKey(of: pem))
        #expect(read.sizeInBits == key.size)
    }

    @Test("OpenSSL reads what is written here", arguments: [256, 384, 521, 1024])
    func written(_ size: Int) throws {
        let key = try #require(SampleKeys.all.first { $0.sizeInBits == size })
        let files = [key.pkcs8, key.sec1 ?? key.externalRepresentation].compactMap { $0?.unprotectedCopy }
        #expect(files.count == 2)
        for file in files {
            let arguments = ["pkey", "-in", "key", "-inform", "DER", "-pubout", "-outform", "DER"]
            let output = try Tool.output("openssl", arguments, files: ["key": file])
            #expect(output == key.publicKey.subjectPublicKeyInfo)
        }
    }

    @Test("explicit parameters, other curves and other kinds of keys are refused")
    func refused() throws {
        let commands = [
            ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-param_enc", "explicit", "-outform", "DER"],
            ["ecparam", "-name", "secp256k1", "-genkey", "-noout", "-outform", "DER"],
        ]
        for command in commands {
            let der = SecretBytes(try Tool.output("openssl", command))
            #expect(throws: KeyError.self) { try PrivateKey(sec1: der) }
        }
        let other = SecretBytes(try Tool.output("openssl", ["genpkey", "-algorithm", "ed25519", "-outform", "DER"]))
        #expect(throws: KeyError.self) { try PrivateKey(pkcs8: other) }
    }
}
