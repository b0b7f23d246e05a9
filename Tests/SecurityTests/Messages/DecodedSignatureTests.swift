// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices
import KeychainTestSupport
import Security
import Testing

/// Signed messages of OpenSSL, read by `CMSDecoder`.
struct DecodedSignatureTests {
    private static let signRSA = "cms -sign -binary -nodetach -signer rsa.pem -inkey rsa.key -certfile middle.pem"
    private static let signEC = "cms -sign -binary -nodetach -signer ec.pem -inkey ec.key -certfile middle.pem"

    @Test(
        "a message of OpenSSL is read, whole and byte by byte, and its signature is good",
        arguments: [
            ("rsa", signRSA), ("rsa-sha1", "\(signRSA) -md sha1"), ("rsa-sha224", "\(signRSA) -md sha224"),
            ("rsa-sha384", "\(signRSA) -md sha384"), ("rsa-sha512", "\(signRSA) -md sha512"),
            ("rsa-bare", "\(signRSA) -noattr"), ("rsa-keyid", "\(signRSA) -keyid"),
            ("rsa-streamed", "\(signRSA) -stream"), ("rsa-nocap", "\(signRSA) -nosmimecap"),
            ("pss", "\(signRSA) -keyopt rsa_padding_mode:pss"),
            ("pss-digest", "\(signRSA) -keyopt rsa_padding_mode:pss -keyopt rsa_pss_saltlen:-1"),
            ("pss-sha512", "\(signRSA) -md sha512 -keyopt rsa_padding_mode:pss -keyopt rsa_pss_saltlen:20"),
            ("pss-bare", "\(signRSA) -noattr -keyopt rsa_padding_mode:pss"),
            ("older", "smime -sign -binary -nodetach -signer rsa.pem -inkey rsa.key -certfile middle.pem"),
            (
                "older-streamed",
                "smime -sign -binary -stream -nodetach -signer rsa.pem -inkey rsa.key -certfile middle.pem"
            ),
            ("ec", signEC), ("ec-sha1", "\(signEC) -md sha1"), ("ec-sha512", "\(signEC) -md sha512"),
            ("ec-bare", "\(signEC) -noattr"), ("ec-keyid", "\(signEC) -keyid -stream"),
            ("p384", "cms -sign -binary -nodetach -md sha384 -signer p384.pem -inkey p384.key -certfile middle.pem"),
            ("p521", "cms -sign -binary -nodetach -md sha512 -signer p521.pem -inkey p521.key -certfile middle.pem"),
            ("typed", "\(signEC) -econtent_type 1.2.3.4"),
        ]
    )
    func good(_ name: String, _ command: String) throws {
        let files = try MessageFiles.shared.get()
        try files.run("openssl $2 -in contents -outform DER -out $1.p7m", with: name, and: command)
        let message = try files.data("\(name).p7m")
        try files.trusting { () throws in
            for count in [Int.max, 1] {
                let (decoder, status) = try MessageCalls.read(message, by: count)
                #expect(status == errSecSuccess)
                #expect(try MessageCalls.contents(decoder) == files.data("contents"))
                #expect(MessageCalls.value(9) { CMSDecoderGetNumSigners(decoder, $0) } == 1)
                #expect(MessageCalls.standing(in: decoder) == .valid)
                #expect(MessageCalls.standing(in: decoder, at: 1) == .invalidIndex)
                #expect(MessageCalls.standing(in: decoder, at: -1) == .invalidIndex)
                let isEncrypted = MessageCalls.value(DarwinBoolean(true)) { CMSDecoderIsContentEncrypted(decoder, $0) }
                #expect(!isEncrypted.boolValue)
            }
        }
    }

    @Test("an altered byte of the contents, of the attributes or of the signature makes the signature bad")
    func altered() throws {
        let files = try MessageFiles.shared.get()
        try files.write(Data("the contents are here".utf8), to: "short")
        try files.run("openssl \(Self.signEC) -in short -outform DER -out altered.p7m")
        let message = try files.data("altered.p7m")
        // In the contents; in the digest attribute, behind its type; in the time; and the last byte of the signature.
        let digestType = Data([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04])
        let timeType = Data([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x05])
        let places = [
            try #require(message.range(of: Data("contents are".utf8))).lowerBound,
            try #require(message.range(of: digestType)).upperBound + 10,
            try #require(message.range(of: timeType)).upperBound + 6,
            message.count - 1,
        ]
        try files.trusting { () throws in
            #expect(try MessageCalls.standing(in: MessageCalls.decoder(message)) == .valid)
            for place in places {
                var other = message
                other[place] ^= 1
                #expect(try MessageCalls.standing(in: MessageCalls.decoder(other)) == .invalidSignature)
            }
        }
    }

    @Test(
        "contents under another tag are refused, or are those that were signed",
        arguments: [
            ("tagged-data", ""), ("tagged-data-bare", "-noattr"), ("tagged-other", "-econtent_type 1.2.3.4"),
            ("tagged-other-bare", "-econtent_type 1.2.3.4 -noattr"),
        ]
    )
    func alteredTag(_ name: String, _ options: String) throws {
        let files = try MessageFiles.shared.get()
        // As contents of a constructed value they are one octet string.
        let signed = Data([0x04, 19] + "the contents are it".utf8)
        try files.write(signed, to: "\(name).contents")
        try files.run("openssl \(Self.signEC) $2 -in $1.contents -outform DER -out $1.p7m", with: name, and: options)
        let message = try files.data("\(name).p7m")
        let place = try #require(message.range(of: Data([0x04, UInt8(signed.count)]) + signed)).lowerBound
        try files.trusting { () throws in
            for tag in 0...255 as ClosedRange<UInt8> where tag != 0x04 {
                var other = message
                other[place] = tag
                let (decoder, status) = try MessageCalls.read(other)
                guard status == errSecSuccess else { continue }
                // An octet string in pieces, as BER has them.
                #expect(tag == 0x24 || !name.hasPrefix("tagged-data"), "tag \(tag)")
                let isValid = MessageCalls.standing(in: decoder, evaluates: false) == .valid
                #expect(!isValid || MessageCalls.contents(decoder) == signed, "tag \(tag)")
            }
        }
    }

    @Test("a detached signature needs its contents, which are given before or after the message")
    func detached() throws {
        let files = try MessageFiles.shared.get()
        try files.run(
            """
            openssl cms -sign -binary -signer ec.pem -inkey ec.key -certfile middle.pem -in contents \\
                -outform DER -out detached.p7s
            """
        )
        let message = try files.data("detached.p7s")
        let contents = try files.data("contents")
        try files.trusting { () throws in
            let decoder = try MessageCalls.decoder(message)
            #expect(MessageCalls.contents(decoder) == nil)
            #expect(MessageCalls.standing(in: decoder) == .needsDetachedContent)
            #expect(MessageCalls.value(nil) { CMSDecoderCopyDetachedContent(decoder, $0) } == nil)
            #expect(CMSDecoderSetDetachedContent(decoder, (contents + [0]) as CFData) == errSecSuccess)
            #expect(MessageCalls.standing(in: decoder) == .invalidSignature)
            #expect(CMSDecoderSetDetachedContent(decoder, contents as CFData) == errSecSuccess)
            #expect(MessageCalls.standing(in: decoder) == .valid)
            let kept: CFData? = MessageCalls.value(nil) { CMSDecoderCopyDetachedContent(decoder, $0) }
            #expect(kept as Data? == contents)
            var early: CMSDecoder?
            #expect(CMSDecoderCreate(&early) == errSecSuccess)
            let second = try #require(early)
            #expect(CMSDecoderSetDetachedContent(second, contents as CFData) == errSecSuccess)
            #expect(MessageCalls.update(second, message) == errSecSuccess)
            #expect(CMSDecoderFinalizeMessage(second) == errSecSuccess)
            #expect(MessageCalls.standing(in: second) == .valid)
        }
    }

    @Test("several signers are told apart, and one bad signature leaves the others good")
    func severalSigners() throws {
        let files = try MessageFiles.shared.get()
        try files.run("openssl \(Self.signRSA) -signer ec.pem -inkey ec.key -in contents -outform DER -out several.p7m")
        let message = try files.data("several.p7m")
        try files.trusting { () throws in
            let decoder = try MessageCalls.decoder(message)
            #expect(MessageCalls.value(0) { CMSDecoderGetNumSigners(decoder, $0) } == 2)
            var names: Set<String?> = []
            for index in 0..<2 {
                #expect(MessageCalls.standing(in: decoder, at: index) == .valid)
                let certificate = MessageCalls.value(nil) { CMSDecoderCopySignerCert(decoder, index, $0) }
                names.insert(certificate.flatMap { SecCertificateCopySubjectSummary($0) as String? })
            }
            #expect(names == ["rsa", "ec"])
            var other = message
            other[other.count - 1] ^= 1
            let spoiled = try MessageCalls.decoder(other)
            #expect([0, 1].map { MessageCalls.standing(in: spoiled, at: $0) } == [.valid, .invalidSignature])
        }
    }

    @Test("what a signer says of itself is told: address, certificate, time and type")
    func details() throws {
        let files = try MessageFiles.shared.get()
        try files.run(
            """
            openssl \(Self.signEC) -econtent_type 1.2.840.113549.1.9.16.1.4 -in contents -outform DER -out details.p7m
            openssl \(Self.signEC) -noattr -in contents -outform DER -out timeless.p7m
            """
        )
        let decoder = try MessageCalls.decoder(files.data("details.p7m"))
        let address: CFString? = MessageCalls.value(nil) { CMSDecoderCopySignerEmailAddress(decoder, 0, $0) }
        #expect(address as String? == "signer@example.com")
        let certificate = MessageCalls.value(nil) { CMSDecoderCopySignerCert(decoder, 0, $0) }
        #expect(try certificate == files.certificate("ec"))
        let time = MessageCalls.value(0) { CMSDecoderCopySignerSigningTime(decoder, 0, $0) }
        #expect(abs(time - Date.now.timeIntervalSinceReferenceDate) < 600)
        let type: CFData? = MessageCalls.value(nil) { CMSDecoderCopyEncapsulatedContentType(decoder, $0) }
        #expect(type as Data? == Data([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x10, 0x01, 0x04]))
        let certificates: CFArray? = MessageCalls.value(nil) { CMSDecoderCopyAllCerts(decoder, $0) }
        #expect(try Set(certificates as? [SecCertificate] ?? []) == Set(["ec", "middle"].map(files.certificate)))
        let timeless = try MessageCalls.decoder(files.data("timeless.p7m"))
        _ = MessageCalls.value(0, expecting: errSecSigningTimeMissing) {
            CMSDecoderCopySignerSigningTime(timeless, 0, $0)
        }
        #expect(CFGetTypeID(decoder) == CMSDecoderGetTypeID())
    }

    @Test("a certificate that is not trusted is told apart from a bad signature, and can be judged later")
    func untrusted() throws {
        let files = try MessageFiles.shared.get()
        try files.run("openssl \(Self.signEC) -in contents -outform DER -out untrusted.p7m")
        let context = KeychainContext(backend: try TemporaryKeychain(), client: .init(accessGroups: ["group"]))
        try KeychainContext.$current.withValue(context) { () throws in
            let decoder = try MessageCalls.decoder(files.data("untrusted.p7m"))
            var status = CMSSignerStatus.unsigned
            var trust: SecTrust?
            var code = errSecSuccess
            let policy = SecPolicyCreateBasicX509()
            let result = CMSDecoderCopySignerStatus(decoder, 0, policy, true, &status, &trust, &code)
            #expect(result == errSecSuccess)
            #expect(status == .invalidCert)
            #expect(code == errSecNotTrusted)
            #expect(MessageCalls.standing(in: decoder, evaluates: false) == .valid)
            let object = try #require(trust)
            #expect(!SecTrustEvaluateWithError(object, nil))
            #expect(try SecTrustSetAnchorCertificates(object, [files.certificate("root")] as CFArray) == errSecSuccess)
            #expect(SecTrustEvaluateWithError(object, nil))
            #expect(CMSDecoderCopySignerStatus(decoder, 0, NSString(), true, nil, nil, nil) == errSecParam)
        }
        try files.trusting { () throws in
            let decoder = try MessageCalls.decoder(files.data("untrusted.p7m"))
            let mail = { (address: String) in
                SecPolicyCreateWithProperties(kSecPolicyAppleSMIME, [kSecPolicyName: address] as CFDictionary)
            }
            #expect(
                try MessageCalls.standing(in: decoder, at: 0, under: #require(mail("signer@example.com"))) == .valid
            )
            #expect(
                try MessageCalls.standing(in: decoder, at: 0, under: #require(mail("other@example.com")))
                    == .invalidCert
            )
            #expect(MessageCalls.standing(in: decoder, at: 0, under: SecPolicyCreateSSL(true, nil)) == .invalidCert)
        }
    }

    @Test("a certificate that the message does not have is looked for in the keychain")
    func missingCertificate() throws {
        let files = try MessageFiles.shared.get()
        for (name, options) in [("bare", ""), ("bare-keyid", "-keyid")] {
            try files.run(
                """
                openssl cms -sign -binary -nodetach -nocerts $2 -signer ec.pem -inkey ec.key -in contents -outform DER \\
                    -out $1.p7m
                """,
                with: name,
                and: options
            )
            try files.trusting { () throws in
                let decoder = try MessageCalls.decoder(files.data("\(name).p7m"))
                #expect(MessageCalls.value(nil) { CMSDecoderCopyAllCerts(decoder, $0) } == nil)
                var status = CMSSignerStatus.unsigned
                var trust: SecTrust?
                var code = errSecSuccess
                let policy = SecPolicyCreateBasicX509()
                let result = CMSDecoderCopySignerStatus(decoder, 0, policy, true, &status, &trust, &code)
                #expect(result == errSecSuccess)
                #expect(status == .invalidCert && code == errSecItemNotFound && trust == nil)
                #expect(
                    MessageCalls.value(nil, expecting: errSecItemNotFound) { CMSDecoderCopySignerCert(decoder, 0, $0) }
                        == nil
                )
                let item = [kSecValueRef: try files.certificate("ec")] as CFDictionary
                #expect(SecItemAdd(item, nil) == errSecSuccess)
                #expect(MessageCalls.standing(in: decoder, evaluates: false) == .valid)
                let found = MessageCalls.value(nil) { CMSDecoderCopySignerCert(decoder, 0, $0) }
                #expect(try found == files.certificate("ec"))
            }
        }
    }
}
