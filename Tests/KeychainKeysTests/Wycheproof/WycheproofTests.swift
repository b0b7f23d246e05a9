// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainKeys

/// The vectors of Wycheproof, which try what implementations get wrong.
///
/// What is judged otherwise is in `Cases/wycheproof-differences.txt`, with the reason.
@Suite(.enabled(if: TestVectors.folder != nil, "Scripts/test names the folder of the vectors"))
struct WycheproofTests {
    typealias Group = WycheproofFile.Group
    typealias Test = WycheproofFile.Test

    /// What comes of a test: `nil` where the group is of something that keys do not do here.
    private typealias Judge = (Group) throws -> ((Test) throws -> Bool)?

    @Test("signatures of curves")
    func ecdsa() throws {
        try judge("Signature", prefix: "ecdsa_secp", atLeast: 4000) { group in
            guard let digest = group.digest, let key = try? group.publicKey(.ellipticCurve) else { return nil }
            return { test in
                Self.verifies(test, with: key, algorithm: "algid:sign:ECDSA:message-X962:\(digest.rawValue)")
            }
        } other: { group in
            guard let digest = group.digest, let key = try? group.publicKey(.ellipticCurve) else { return nil }
            return { test in
                Self.verifies(test, with: key, algorithm: "algid:sign:ECDSA:message-RFC4754:\(digest.rawValue)")
            }
        }
    }

    @Test("RSA signatures with PKCS #1")
    func pkcs1() throws {
        try judge("Signature", prefix: "rsa_signature", atLeast: 2800) { group in
            guard let digest = group.digest else { return nil }
            let key = try group.publicKey(.rsa)
            return { test in
                Self.verifies(test, with: key, algorithm: "algid:sign:RSA:message-PKCS1v15:\(digest.rawValue)")
            }
        }
    }

    @Test("RSA signatures with PKCS #1 are made as others make them")
    func pkcs1Signing() throws {
        try judge("Signature", prefix: "rsa_pkcs1", atLeast: 150) { group in
            guard let digest = group.digest else { return nil }
            let key = try group.privateKey
            return { test in
                let name = "algid:sign:RSA:message-PKCS1v15:\(digest.rawValue)"
                return try key.sign(test.message, name) == test.signature
            }
        }
    }

    @Test("RSA signatures with PSS")
    func pss() throws {
        try judge("Signature", prefix: "rsa_pss", atLeast: 800) { group in
            guard let digest = group.digest, group.mgfSha == group.sha, group.sLen == digest.count else { return nil }
            let key = try group.publicKey(.rsa)
            let salt = digest == .sha224 ? 24 : digest.count
            let name = "algid:sign:RSA:message-PSS:\(digest.rawValue):\(digest.rawValue):\(salt)"
            return { test in Self.verifies(test, with: key, algorithm: name) }
        }
    }

    @Test("RSA decryption with OAEP")
    func oaep() throws {
        try judge("Cipher", prefix: "rsa_oaep", atLeast: 300) { group in
            guard let digest = group.digest, group.mgfSha == group.sha else { return nil }
            let key = try group.privateKey
            return { test in
                (try? key.decrypt(test.ciphertext, "algid:encrypt:RSA:OAEP:\(digest.rawValue)")) == test.message
            }
        }
    }

    @Test("RSA decryption with PKCS #1")
    func pkcs1Decryption() throws {
        try judge("Cipher", prefix: "rsa_pkcs1", atLeast: 200) { group in
            let key = try group.privateKey
            return { test in (try? key.decrypt(test.ciphertext, "algid:encrypt:RSA:PKCS1")) == test.message }
        }
    }

    @Test("agreement of keys on curves")
    func agreement() throws {
        try judge("Protocol", prefix: "ecdh_secp", atLeast: 2900) { _ in
            { test in
                let other = [UInt8](hex: test.public ?? "")
                guard let key = try? PublicKey(subjectPublicKeyInfo: other), let curve = key.curve else { return false }
                return try Self.agrees(test, with: key, on: curve)
            }
        } other: { _ in
            { test in
                let point = [UInt8](hex: test.public ?? "")
                guard let key = try? PublicKey(externalRepresentation: point, .ellipticCurve), let curve = key.curve
                else { return false }
                return try Self.agrees(test, with: key, on: curve)
            }
        }
    }

    /// Holds the tests of all files of a kind against their results.
    ///
    /// - Parameters:
    ///   - folder: where the files are.
    ///   - prefix: how their names begin.
    ///   - minimum: how many tests there are at minimum.
    ///   - judge: whether a test is one of something valid.
    ///   - other: the same for files of raw signatures and points.
    /// - Throws: for a file that cannot be read, or whose keys cannot.
    private func judge(
        _ folder: String,
        prefix: String,
        atLeast minimum: Int,
        by judge: @escaping Judge,
        other: Judge? = nil
    ) throws {
        var (count, different): (Int, Set<String>) = (0, [])
        let paths = try WycheproofFile.names(folder, prefix)
        for path in paths {
            let name = URL(fileURLWithPath: path).lastPathComponent
            let isOther = name.contains("p1363") || name.contains("ecpoint")
            for group in try WycheproofFile.load(path).testGroups {
                guard let isValid = try (isOther ? other ?? judge : judge)(group) else { continue }
                // Apple's functions take no label of OAEP.
                for test in group.tests where (test.label ?? "").isEmpty {
                    count += 1
                    let found = try isValid(test)
                    if test.result != .acceptable, found != (test.result == .valid) {
                        different.insert("\(name):\(test.tcId)")
                    }
                }
            }
        }
        #expect(count >= minimum)
        let names = paths.map { URL(fileURLWithPath: $0).lastPathComponent }
        let known = try Self.differences.filter { line in names.contains { line.hasPrefix("\($0):") } }
        #expect(different.subtracting(known).sorted() == [], "unknown differences")
        #expect(known.subtracting(different).sorted() == [], "differences that are none any more")
    }

    /// The tests that are judged otherwise, as the name of the file and the number.
    private static var differences: Set<String> {
        get throws {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../Cases/wycheproof-differences.txt").standardizedFileURL
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            return Set(lines.filter { !$0.hasPrefix("#") }.map(String.init))
        }
    }

    private static func verifies(_ test: Test, with key: PublicKey, algorithm name: String) -> Bool {
        (try? key.verify(test.signature, of: test.message, algorithm: name)) != nil
    }

    private static func agrees(_ test: Test, with key: PublicKey, on curve: Curve) throws -> Bool {
        // The private keys are numbers, with or without leading zeros.
        let digits = [UInt8](
            hex: (test.private ?? "").count.isMultiple(of: 2) ? test.private ?? "" : "0\(test.private ?? "")"
        )
        let number = digits.drop { $0 == 0 }
        guard number.count <= curve.coordinateCount else { return false }
        let scalar = Array(repeating: 0, count: curve.coordinateCount - number.count) + number
        let sec1 = DERWriter.element(0x30, [2, 1, 1], DERWriter.element(4, scalar))
        guard let own = try? PrivateKey(sec1: SecretBytes(sec1)) else { return false }
        return try own.agree(key, "algid:keyexchange:ECDH").hex == test.shared
    }
}
