// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Testing

/// The digests of CommonDigest.h, whole and in parts, against the answers of their standards.
struct DigestTests {
    @Test(arguments: Function.all) func `examples have their known digests`(_ function: Function) {
        for (message, digest) in function.examples {
            #expect(function.whole(Array(message.utf8)).hex == digest)
            #expect(function.inParts(Array(message.utf8), of: 7).hex == digest)
        }
    }

    @Test(arguments: Function.all) func `parts of any length make the digest of the whole`(_ function: Function) {
        let message = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for count in 0...message.count {
            let part = Array(message.prefix(count))
            let whole = function.whole(part)
            #expect(function.inParts(part, of: 1 + count % 131) == whole, "\(count) bytes")
        }
    }

    @Test(arguments: Function.all) func `no digest is written to nowhere`(_ function: Function) {
        #expect(function.oneShot(nil, 0, nil) == nil)
    }

    @Test func `a copy of a context goes on by itself`() {
        var context = CC_SHA256_CTX()
        CC_SHA256_Init(&context)
        CC_SHA256_Update(&context, "ab", 2)
        var copy = context
        CC_SHA256_Update(&context, "c", 1)
        CC_SHA256_Update(&copy, "x", 1)
        var digests = [[UInt8]](repeating: [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH)), count: 2)
        CC_SHA256_Final(&digests[0], &context)
        CC_SHA256_Final(&digests[1], &copy)
        let sha256 = Function.all[3]
        #expect(digests == [sha256.whole(Array("abc".utf8)), sha256.whole(Array("abx".utf8))])
    }

    @Test func `the end of a message wipes its context`() {
        var context = CC_SHA512_CTX()
        CC_SHA512_Init(&context)
        CC_SHA512_Update(&context, "secret", 6)
        var digest = [UInt8](repeating: 0, count: Int(CC_SHA512_DIGEST_LENGTH))
        CC_SHA512_Final(&digest, &context)
        #expect(withUnsafeBytes(of: context) { $0.allSatisfy { $0 == 0 } })
    }
}

/// One digest function of CommonDigest.h.
struct Function: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let oneShot: @Sendable (UnsafeRawPointer?, CC_LONG, UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?
    let inParts: @Sendable ([[UInt8]]) -> [UInt8]
    let examples: [(String, String)]
    let byteCount: Int

    func whole(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        _ = oneShot(message, CC_LONG(message.count), &digest)
        return digest
    }

    func inParts(_ message: [UInt8], of count: Int) -> [UInt8] {
        inParts(
            stride(from: 0, to: message.count, by: count).map { Array(message[$0..<min($0 + count, message.count)]) }
        )
    }
}

private let longMessage = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

private func context<Context: Sendable>(
    _ empty: Context,
    count: CInt,
    start: @escaping @Sendable (UnsafeMutablePointer<Context>?) -> CInt,
    update: @escaping @Sendable (UnsafeMutablePointer<Context>?, UnsafeRawPointer?, CC_LONG) -> CInt,
    final: @escaping @Sendable (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Context>?) -> CInt
) -> @Sendable ([[UInt8]]) -> [UInt8] {
    { parts in
        var context = empty
        var digest = [UInt8](repeating: 0, count: Int(count))
        var results = [start(&context)]
        for part in parts { results.append(update(&context, part, CC_LONG(part.count))) }
        results.append(final(&digest, &context))
        return results.allSatisfy { $0 == 1 } ? digest : []
    }
}

extension Function {
    /// RFC 1321 and FIPS 180-4 with NIST's examples; that of MD5 for the long message is OpenSSL's.
    static let all = [
        Function(
            testDescription: "MD5",
            oneShot: CC_MD5,
            inParts: context(
                CC_MD5_CTX(),
                count: CC_MD5_DIGEST_LENGTH,
                start: CC_MD5_Init,
                update: CC_MD5_Update,
                final: CC_MD5_Final
            ),
            examples: [
                ("", "d41d8cd98f00b204e9800998ecf8427e"),
                ("abc", "900150983cd24fb0d6963f7d28e17f72"),
                (longMessage, "8215ef0796a20bcaaae116d3876c664a"),
            ],
            byteCount: Int(CC_MD5_DIGEST_LENGTH)
        ),
        Function(
            testDescription: "SHA-1",
            oneShot: CC_SHA1,
            inParts: context(
                CC_SHA1_CTX(),
                count: CC_SHA1_DIGEST_LENGTH,
                start: CC_SHA1_Init,
                update: CC_SHA1_Update,
                final: CC_SHA1_Final
            ),
            examples: [
                ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
                ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
                (longMessage, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
            ],
            byteCount: Int(CC_SHA1_DIGEST_LENGTH)
        ),
        Function(
            testDescription: "SHA-224",
            oneShot: CC_SHA224,
            inParts: context(
                CC_SHA256_CTX(),
                count: CC_SHA224_DIGEST_LENGTH,
                start: CC_SHA224_Init,
                update: CC_SHA224_Update,
                final: CC_SHA224_Final
            ),
            examples: [
                ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
                ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
                (longMessage, "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"),
            ],
            byteCount: Int(CC_SHA224_DIGEST_LENGTH)
        ),
        Function(
            testDescription: "SHA-256",
            oneShot: CC_SHA256,
            inParts: context(
                CC_SHA256_CTX(),
                count: CC_SHA256_DIGEST_LENGTH,
                start: CC_SHA256_Init,
                update: CC_SHA256_Update,
                final: CC_SHA256_Final
            ),
            examples: [
                ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
                ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
                (longMessage, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
            ],
            byteCount: Int(CC_SHA256_DIGEST_LENGTH)
        ),
        Function(
            testDescription: "SHA-384",
            oneShot: CC_SHA384,
            inParts: context(
                CC_SHA512_CTX(),
                count: CC_SHA384_DIGEST_LENGTH,
                start: CC_SHA384_Init,
                update: CC_SHA384_Update,
                final: CC_SHA384_Final
            ),
            examples: [
                (
                    "abc",
                    "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                        + "8086072ba1e7cc2358baeca134c825a7"
                ),
                (
                    longMessage,
                    "3391fdddfc8dc7393707a65b1b4709397cf8b1d162af05abfe8f450de5f36bc6"
                        + "b0455a8520bc4e6f5fe95b1fe3c8452b"
                ),
            ],
            byteCount: Int(CC_SHA384_DIGEST_LENGTH)
        ),
        Function(
            testDescription: "SHA-512",
            oneShot: CC_SHA512,
            inParts: context(
                CC_SHA512_CTX(),
                count: CC_SHA512_DIGEST_LENGTH,
                start: CC_SHA512_Init,
                update: CC_SHA512_Update,
                final: CC_SHA512_Final
            ),
            examples: [
                (
                    "abc",
                    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
                ),
                (
                    longMessage,
                    "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
                        + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"
                ),
            ],
            byteCount: Int(CC_SHA512_DIGEST_LENGTH)
        ),
    ]
}
