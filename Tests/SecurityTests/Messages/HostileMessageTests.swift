// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Security
import Testing

/// Messages that nobody should take for signed, and bytes that are no message.
struct HostileMessageTests {
    private static func standing(_ change: (inout MessageMaker) throws -> Void) throws -> CMSSignerStatus? {
        let files = try MessageFiles.shared.get()
        var maker = try MessageMaker()
        try change(&maker)
        return MessageCalls.standing(in: try MessageCalls.decoder(maker.message(files)), evaluates: false)
    }

    @Test("a message that is written by hand is good as it should be")
    func good() throws {
        #expect(try Self.standing { _ in } == .valid)
        #expect(try Self.standing { $0.attributes = nil } == .valid)
        #expect(
            try Self.standing {
                $0.contentType = "1.2.3.4"
                $0.attributes?[0] = MessageMaker.type("1.2.3.4")
            } == .valid
        )
    }

    @Test("attributes without the digest of the contents, or with another one, make no signature good")
    func digest() throws {
        #expect(try Self.standing { $0.attributes?.removeLast() } == .invalidSignature)
        #expect(try Self.standing { $0.contents += [0] } == .invalidSignature)
        #expect(
            try Self.standing {
                $0.attributes?[1] = MessageMaker.attribute("1.2.840.113549.1.9.4", TestDER.octetString([]))
            } == .invalidSignature
        )
    }

    @Test("attributes without the type of the contents, or with another one, make no signature good")
    func contentType() throws {
        #expect(try Self.standing { $0.attributes?.removeFirst() } == .invalidSignature)
        #expect(try Self.standing { $0.attributes?[0] = MessageMaker.type("1.2.3.4") } == .invalidSignature)
        #expect(try Self.standing { $0.contentType = "1.2.3.4" } == .invalidSignature)
    }

    @Test("without attributes only plain data is signed, and no attributes in the place of the contents")
    func bare() throws {
        #expect(
            try Self.standing {
                $0.attributes = nil
                $0.contentType = "1.2.3.4"
            } == .invalidSignature
        )
        // A good signature of attributes, moved to a message whose contents are these attributes.
        #expect(
            try Self.standing {
                $0.contents = Data(MessageMaker.signedSet($0.attributes ?? []))
                $0.attributes = nil
            } == .invalidSignature
        )
    }

    @Test("attributes in another order than that of DER are good when they are signed in either order")
    func order() throws {
        let time = MessageMaker.attribute("1.2.840.113549.1.9.5", CertificateMaker.utcTime("260101000000Z"))
        let capabilities = MessageMaker.attribute("1.2.840.113549.1.9.15", TestDER.sequence())
        let orders = try [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]].map { order in
            let maker = try MessageMaker()
            let all = (maker.attributes ?? []) + [time, capabilities]
            return order.map { all[$0] }
        }
        for attributes in orders {
            #expect(try Self.standing { $0.attributes = attributes } == .valid)
            #expect(
                try Self.standing {
                    $0.attributes = attributes
                    $0.signed = TestDER.set(attributes.flatMap(\.self))
                } == .valid
            )
            #expect(
                try Self.standing {
                    $0.attributes = attributes
                    $0.signed = TestDER.set(attributes.dropLast().flatMap(\.self))
                } == .invalidSignature
            )
        }
    }

    @Test("algorithms that do not go together, or are not implemented, make no signature good")
    func algorithms() throws {
        // ecdsa-with-SHA384 of a digest with SHA-256, a signature of RSA, and MD5.
        #expect(try Self.standing { $0.signatureAlgorithm = "1.2.840.10045.4.3.3" } == .invalidSignature)
        #expect(try Self.standing { $0.signatureAlgorithm = "1.2.840.113549.1.1.11" } == .invalidSignature)
        #expect(try Self.standing { $0.signatureAlgorithm = "1.2.840.113549.1.1.10" } == .invalidSignature)
        #expect(try Self.standing { $0.signatureAlgorithm = "1.3.101.112" } == .invalidSignature)
        #expect(try Self.standing { $0.digestAlgorithm = "1.2.840.113549.2.5" } == .invalidSignature)
        #expect(try Self.standing { $0.digestAlgorithm = "2.16.840.1.101.3.4.2.2" } == .invalidSignature)
        // The identifier of the key, which some software writes.
        #expect(try Self.standing { $0.signatureAlgorithm = "1.2.840.10045.2.1" } == .valid)
    }

    @Test("an attribute that is there twice, or has two values, is refused")
    func doubled() throws {
        let files = try MessageFiles.shared.get()
        var twice = try MessageMaker()
        let other = try twice.digest(Data("other".utf8))
        twice.attributes?.append(other)
        var values = try MessageMaker()
        values.attributes?[1] = MessageMaker.attribute(
            "1.2.840.113549.1.9.4",
            TestDER.octetString([UInt8](repeating: 0, count: 32)),
            TestDER.octetString([UInt8](repeating: 1, count: 32))
        )
        for maker in [twice, values] {
            #expect(try MessageCalls.read(maker.message(files)).1 == errSecUnknownFormat)
        }
    }

    @Test("bytes behind a message, a message that is cut off, and other bytes are no message")
    func malformed() throws {
        let files = try MessageFiles.shared.get()
        let message = try MessageMaker().message(files)
        #expect(try MessageCalls.read(message).1 == errSecSuccess)
        #expect(try MessageCalls.read(message + [0]).1 == errSecUnknownFormat)
        #expect(try MessageCalls.read(message + message).1 == errSecUnknownFormat)
        for count in stride(from: 0, to: message.count, by: 7) {
            #expect(try MessageCalls.read(message.prefix(count)).1 == errSecUnknownFormat)
        }
        for other in [Data([0]), Data("-----BEGIN CMS-----\n".utf8), try files.data("ec.der"), Data([0x30, 0])] {
            #expect(try MessageCalls.read(other).1 == errSecUnknownFormat)
        }
        try files.run(
            "openssl cms -digest_create -binary -in contents -outform DER -out digested.p7m"
        )
        #expect(try MessageCalls.read(files.data("digested.p7m")).1 == errSecUnimplemented)
    }

    @Test("a message of very many values, and one that is nested very deep, are refused at once")
    func bombs() throws {
        let open: [UInt8] = (0..<200_000).map { $0.isMultiple(of: 2) ? 0x30 : 0x80 }
        let nested = Data(open + [UInt8](repeating: 0, count: 200_000))
        #expect(try MessageCalls.read(nested).1 != errSecSuccess)
        let values: [UInt8] = (0..<4_000_000).map { $0.isMultiple(of: 2) ? 0x05 : 0x00 }
        let bomb = TestDER.sequence(
            TestDER.objectIdentifier("1.2.840.113549.1.7.2"),
            TestDER.tagged(0, TestDER.sequence(TestDER.integer(1), TestDER.set(values)))
        )
        #expect(try MessageCalls.read(Data(bomb)).1 == errSecUnimplemented)
        // A length that no message has.
        for first in [0x7F, 0xFF] as [UInt8] {
            let length = [0x30, 0x88, first] + [UInt8](repeating: 0xFF, count: 7)
            #expect(try MessageCalls.read(Data(length)).1 == errSecUnknownFormat)
        }
    }

    @Test("functions that need the whole message say so before, and nothing comes in afterwards")
    func sequence() throws {
        let message = try MessageMaker().message(MessageFiles.shared.get())
        var made: CMSDecoder?
        #expect(CMSDecoderCreate(&made) == errSecSuccess)
        let decoder = try #require(made)
        func getters() -> Set<OSStatus> {
            var (number, content, certificate) = (0, nil as CFData?, nil as SecCertificate?)
            var (text, list, flag, time) = (nil as CFString?, nil as CFArray?, DarwinBoolean(false), 0.0)
            return [
                CMSDecoderGetNumSigners(decoder, &number), CMSDecoderCopyContent(decoder, &content),
                CMSDecoderCopySignerCert(decoder, 0, &certificate), CMSDecoderCopySignerEmailAddress(decoder, 0, &text),
                CMSDecoderCopyAllCerts(decoder, &list), CMSDecoderIsContentEncrypted(decoder, &flag),
                CMSDecoderCopySignerSigningTime(decoder, 0, &time), CMSDecoderCopySignerTimestamp(decoder, 0, &time),
                CMSDecoderCopySignerTimestampCertificates(decoder, 0, &list),
                CMSDecoderCopyEncapsulatedContentType(decoder, &content),
                CMSDecoderCopySignerStatus(decoder, 0, SecPolicyCreateBasicX509(), false, nil, nil, nil),
            ]
        }
        #expect(getters() == [errSecParam])
        #expect(MessageCalls.update(decoder, message, count: -1) == errSecParam)
        #expect(MessageCalls.update(decoder, message) == errSecSuccess)
        #expect(getters() == [errSecParam])
        #expect(CMSDecoderFinalizeMessage(decoder) == errSecSuccess)
        #expect(!getters().contains(errSecParam))
        #expect(MessageCalls.update(decoder, message) == errSecParam)
        #expect(CMSDecoderFinalizeMessage(decoder) == errSecParam)
        #expect(CMSDecoderSetSearchKeychain(decoder, NSArray()) == errSecParam)
        var certificate: SecCertificate?
        #expect(CMSDecoderCopySignerCert(decoder, 1, &certificate) == errSecParam)
        #expect(CMSDecoderCopySignerCert(decoder, -1, &certificate) == errSecParam)
    }
}
