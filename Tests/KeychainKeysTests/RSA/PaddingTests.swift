// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainKeys

/// The encodings of RFC 8017 that are ours.
struct PaddingTests {
    @Test(
        "OAEP gives back every message that fits, and no changed block",
        arguments: [DigestAlgorithm.sha224, .sha384]
    )
    func oaep(_ digest: DigestAlgorithm) throws {
        let padding = EMEOAEP(digest: digest)
        let room = 128 - 2 * digest.count - 2
        for count in [0, 1, room - 1, room] {
            let message = (0..<count).map { UInt8($0 & 1) }
            let block = try message.withBytes { (message) throws(KeyError) in try padding.encode(message, count: 128) }
            #expect(try padding.decode(block).unprotectedCopy == message)
            for index in [0, 1, digest.count, digest.count + 1, 2 * digest.count] {
                let changed = block.unprotectedCopy.flipping(bit: 8 * index)
                #expect(throws: KeyError.decryptionFailed) { try padding.decode(SecretBytes(changed)) }
            }
        }
        let long = Array(repeating: 0 as UInt8, count: room + 1)
        #expect(throws: KeyError.self) {
            try long.withBytes { (long) throws(KeyError) in try padding.encode(long, count: 128) }
        }
        #expect(throws: KeyError.decryptionFailed) { try padding.decode(SecretBytes([0, 1, 2])) }
    }

    /// A block of OAEP whose data block is given, so that its inside can be wrong.
    private func block(_ content: [UInt8], _ digest: DigestAlgorithm, first: UInt8 = 0) -> SecretBytes {
        var (seed, content) = (Array(repeating: 7 as UInt8, count: digest.count), content)
        content.withUnsafeMutableBytes { content in seed.withUnsafeBytes { digest.mask(content, with: $0) } }
        seed.withUnsafeMutableBytes { seed in content.withUnsafeBytes { digest.mask(seed, with: $0) } }
        return SecretBytes([first] + seed + content)
    }

    @Test("OAEP has one answer for everything that is wrong inside")
    func oaepInside() throws {
        let (digest, padding) = (DigestAlgorithm.sha224, EMEOAEP(digest: .sha224))
        let label = digest.digest()
        let zeros = Array(repeating: 0 as UInt8, count: 20)
        #expect(try padding.decode(block(label + zeros + [1, 5, 6], digest)).unprotectedCopy == [5, 6])
        #expect(try padding.decode(block(label + [1] + zeros, digest)).unprotectedCopy == zeros)
        let wrong: [SecretBytes] = [
            block(label + zeros + [0, 0, 0], digest), block(label + zeros + [2, 1, 6], digest),
            block(label.flipping(bit: 0) + zeros + [1, 5], digest),
            block(label + zeros + [1, 5, 6], digest, first: 1), block(label + [0x80] + zeros + [1], digest),
        ]
        for block in wrong { #expect(throws: KeyError.decryptionFailed) { try padding.decode(block) } }
    }

    @Test("PKCS #1 encryption gives back every message that fits")
    func pkcs1Encryption() throws {
        for count in [0, 1, 116, 117] {
            let message = (0..<count).map { UInt8($0 & 1) }
            let block = try message.withBytes { (message) throws(KeyError) in try EMEPKCS1.encode(message, count: 128) }
            #expect(block.unprotectedCopy[..<2] == [0, 2] && block.count == 128)
            #expect(try EMEPKCS1.decode(block).unprotectedCopy == message)
        }
        let long = Array(repeating: 0 as UInt8, count: 118)
        #expect(throws: KeyError.self) {
            try long.withBytes { (long) throws(KeyError) in try EMEPKCS1.encode(long, count: 128) }
        }
    }

    @Test("PKCS #1 encryption has one answer for everything that is wrong inside")
    func pkcs1EncryptionInside() throws {
        let padding = Array(repeating: 7 as UInt8, count: 8)
        #expect(try EMEPKCS1.decode(SecretBytes([0, 2] + padding + [0, 5, 0])).unprotectedCopy == [5, 0])
        #expect(try EMEPKCS1.decode(SecretBytes([0, 2] + padding + [0])).unprotectedCopy == [])
        let wrong: [[UInt8]] = [
            [1, 2] + padding + [0, 5], [0, 1] + padding + [0, 5], [0, 2] + padding + [5, 5],
            [0, 2] + padding.dropLast() + [0, 0, 5], [0, 2, 0] + padding + [0, 5], [0, 2] + padding, [0, 2, 0], [],
        ]
        for block in wrong { #expect(throws: KeyError.decryptionFailed) { try EMEPKCS1.decode(SecretBytes(block)) } }
    }

    @Test("PSS accepts its own encodings for moduli of all lengths, and nothing changed", arguments: 1017...1033)
    func pss(_ bits: Int) throws {
        let padding = EMSAPSS(digest: .sha224)
        let digest = Array(repeating: 0xAB as UInt8, count: 28)
        let encoded = try padding.encode(digest, bits: bits)
        #expect(encoded.count == (bits + 7) / 8)
        #expect(padding.isValid(encoded, for: digest, bits: bits))
        #expect(!padding.isValid(encoded, for: digest.flipping(bit: 3), bits: bits))
        for index in [0, 1, encoded.count / 2, encoded.count - 29, encoded.count - 1] {
            #expect(!padding.isValid(encoded.flipping(bit: 8 * index + 7), for: digest, bits: bits))
        }
    }

    @Test("PSS needs room for digest and salt")
    func pssRoom() throws {
        let padding = EMSAPSS(digest: .sha512)
        #expect(throws: KeyError.self) { try padding.encode(Array(repeating: 0, count: 64), bits: 1024) }
        #expect(try padding.encode(Array(repeating: 0, count: 64), bits: 1040).count == 130)
    }

    @Test("PKCS #1 version 1.5 leaves at least eight bytes of padding")
    func pkcs1() throws {
        let padding = EMSAPKCS1(digest: nil)
        #expect(try padding.encode([1, 2], count: 13) == [0, 1] + Array(repeating: 0xFF, count: 8) + [0, 1, 2])
        #expect(throws: KeyError.parameter("the data is too long for the key")) {
            try padding.encode([1, 2, 3], count: 13)
        }
    }
}
