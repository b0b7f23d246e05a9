// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Security
import Testing

/// Writes signed messages by hand, with a key on P-256, so that they can also be what nobody would write.
struct MessageMaker {
    var contents = Data("contents".utf8)
    var contentType = MessageMaker.data
    /// The attributes as the message has them; `nil` for none.
    var attributes: [[UInt8]]?
    /// What is signed; `nil` for what has to be: the attributes in order, or else the contents.
    var signed: [UInt8]?
    var digestAlgorithm = "2.16.840.1.101.3.4.2.1"
    var signatureAlgorithm = "1.2.840.10045.4.3.2"
    /// Certificates beside that of the signer.
    var otherCertificates: [Data] = []
    /// Whether the contents stay outside of the message.
    var isDetached = false
    /// How often the signer has signed.
    var signerCount = 1
    /// Attributes that are not signed, of a signature.
    var unsigned: ([UInt8]) throws -> [UInt8] = { _ in [] }

    static let data = "1.2.840.113549.1.7.1"

    init() throws {
        attributes = try [Self.type(Self.data), digest(contents)]
    }

    /// The attribute with the type of the contents.
    static func type(_ type: String) -> [UInt8] {
        attribute("1.2.840.113549.1.9.3", TestDER.objectIdentifier(type))
    }

    /// The attribute with the digest of contents.
    func digest(_ contents: Data) throws -> [UInt8] {
        Self.attribute("1.2.840.113549.1.9.4", TestDER.octetString(try Self.sha256(contents)))
    }

    static func attribute(_ type: String, _ values: [UInt8]...) -> [UInt8] {
        TestDER.sequence(TestDER.objectIdentifier(type), TestDER.set(values.flatMap(\.self)))
    }

    /// The attributes as they are signed.
    static func signedSet(_ attributes: [[UInt8]]) -> [UInt8] {
        TestDER.set(attributes.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self))
    }

    /// The message.
    func message(_ files: MessageFiles) throws -> Data {
        let bytes = signed ?? attributes.map(Self.signedSet) ?? Array(contents)
        let signature = try #require(
            SecKeyCreateSignature(
                files.key("ec"),
                .ecdsaSignatureMessageX962SHA256,
                Data(bytes) as CFData,
                nil
            ) as Data?
        )
        let info = TestDER.sequence(
            TestDER.integer(1),
            TestDER.sequence(CertificateMaker.issuer(of: try files.data("ec.der")), TestDER.integer(12)),
            TestDER.sequence(TestDER.objectIdentifier(digestAlgorithm)),
            attributes.map { TestDER.tagged(0, $0.flatMap(\.self)) } ?? [],
            TestDER.sequence(TestDER.objectIdentifier(signatureAlgorithm)),
            TestDER.octetString(Array(signature)),
            try unsigned(Array(signature))
        )
        return Data(
            TestDER.sequence(
                TestDER.objectIdentifier("1.2.840.113549.1.7.2"),
                TestDER.tagged(
                    0,
                    TestDER.sequence(
                        TestDER.integer(1),
                        TestDER.set(TestDER.sequence(TestDER.objectIdentifier(digestAlgorithm))),
                        TestDER.sequence(
                            TestDER.objectIdentifier(contentType),
                            isDetached ? [] : TestDER.tagged(0, TestDER.octetString(Array(contents)))
                        ),
                        TestDER.tagged(0, Array(try files.data("ec.der")), otherCertificates.flatMap { Array($0) }),
                        TestDER.set(Array(repeatElement(info, count: signerCount).joined()))
                    )
                )
            )
        )
    }

    private static func sha256(_ data: Data) throws -> [UInt8] {
        let workshop = try Workshop()
        try workshop.write(Array(data), to: "data")
        try workshop.run("openssl dgst -sha256 -binary -out digest data")
        return try workshop.bytes("digest")
    }
}

extension CertificateMaker {
    /// The issuer's name of a certificate of version 3: behind its version, number and algorithm.
    static func issuer(of certificate: Data) -> [UInt8] {
        var rest = Array(certificate)[...]
        func enter() { rest = rest.dropFirst(header(rest)) }
        func value() -> [UInt8] {
            let count = header(rest) + length(rest)
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        enter()
        enter()
        _ = (value(), value(), value())
        return value()
    }

    private static func header(_ bytes: ArraySlice<UInt8>) -> Int {
        let first = Int(bytes[bytes.startIndex + 1])
        return first < 0x80 ? 2 : 2 + first - 0x80
    }

    private static func length(_ bytes: ArraySlice<UInt8>) -> Int {
        let first = Int(bytes[bytes.startIndex + 1])
        return first < 0x80 ? first : bytes.dropFirst(2).prefix(first - 0x80).reduce(0) { $0 << 8 | Int($1) }
    }
}
