// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainKeys

/// Signatures between OpenSSL and us, both ways.
struct OpenSSLSignatureTests {
    private static let message = Array("signed here, verified there".utf8)

    private func files(_ key: PrivateKey) throws -> [String: [UInt8]] {
        [
            "key": try #require(key.pkcs8).unprotectedCopy, "public": key.publicKey.subjectPublicKeyInfo,
            "message": Self.message,
        ]
    }

    private func exchange(_ key: PrivateKey, algorithm name: String, options: [String]) throws {
        var files = try files(key)
        let theirs = try Tool.output(
            "openssl",
            ["dgst", "-sign", "key", "-keyform", "DER"] + options + ["message"],
            files: files
        )
        try key.publicKey.verify(theirs, of: Self.message, algorithm: name)
        files["signature"] = try key.sign(Self.message, name)
        let verify =
            ["dgst", "-verify", "public", "-keyform", "DER", "-signature", "signature"] + options + ["message"]
        #expect(try Tool.run("openssl", verify, files: files).status == 0)
        files["message"] = Self.message + [0]
        #expect(try Tool.run("openssl", verify, files: files).status != 0)
    }

    @Test("ECDSA", arguments: [(256, "SHA1"), (256, "SHA224"), (384, "SHA384"), (521, "SHA512"), (521, "SHA256")])
    func ecdsa(_ size: Int, _ digest: String) throws {
        let key = try #require(SampleKeys.curves.first { $0.sizeInBits == size })
        try exchange(key, algorithm: "algid:sign:ECDSA:message-X962:\(digest)", options: ["-\(digest.lowercased())"])
    }

    @Test("RSA with PKCS #1 version 1.5", arguments: DigestAlgorithm.allCases)
    func pkcs1(_ digest: DigestAlgorithm) throws {
        let name = "algid:sign:RSA:message-PKCS1v15:\(digest.rawValue)"
        try exchange(SampleKeys.rsa2048, algorithm: name, options: ["-\(digest.rawValue.lowercased())"])
    }

    @Test(
        "RSA with PSS",
        arguments: [(DigestAlgorithm.sha1, 20), (.sha224, 28), (.sha256, 32), (.sha384, 48), (.sha512, 64)]
    )
    func pss(_ digest: DigestAlgorithm, _ salt: Int) throws {
        // What the name of SHA-224's algorithm ends with is not the length of the salt.
        let number = digest == .sha224 ? 24 : salt
        let name = "algid:sign:RSA:message-PSS:\(digest.rawValue):\(digest.rawValue):\(number)"
        let options = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:\(salt)"]
        try exchange(SampleKeys.rsa2048, algorithm: name, options: ["-\(digest.rawValue.lowercased())"] + options)
    }

    @Test("RSA without a digest function, and without padding", arguments: [("pkcs1", 36), ("none", 256)])
    func raw(_ padding: String, _ count: Int) throws {
        let key = SampleKeys.rsa2048
        let data = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let name = padding == "none" ? "algid:sign:RSA:raw" : "algid:sign:RSA:digest-PKCS1v15"
        var files = try files(key)
        files["message"] = data
        // OpenSSL signs no more than a digest, but its decryption is the same operation.
        let sign = [
            "pkeyutl", padding == "none" ? "-decrypt" : "-sign", "-in", "message", "-inkey", "key", "-keyform", "DER",
        ]
        let theirs = try Tool.output("openssl", sign + ["-pkeyopt", "rsa_padding_mode:\(padding)"], files: files)
        #expect(try key.sign(data, name) == theirs)
        try key.publicKey.verify(theirs, of: data, algorithm: name)
    }
}
