// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices
import KeychainTestSupport
import Security
import Testing

/// Signed messages that `CMSEncoder` writes, verified by OpenSSL and by `CMSDecoder`.
struct EncodedSignatureTests {
    private static let verify = "openssl cms -verify -binary -inform DER -CAfile root.pem -purpose any"

    /// What is signed by whom, and how.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var signers = ["rsa"]
        var digest: String?
        var type: String?
        var attributes: CMSSignedAttributes = []
        var isDetached = false

        var testDescription: String { name }
    }

    @Test(
        "OpenSSL takes the signature for good, and the contents out",
        arguments: [
            Case(name: "rsa"), Case(name: "ec", signers: ["ec"]), Case(name: "p384", signers: ["p384"]),
            Case(name: "p521", signers: ["p521"]), Case(name: "two", signers: ["rsa", "ec"]),
            Case(name: "rsa-sha1", digest: "sha1"), Case(name: "ec-sha256", signers: ["ec"], digest: "sha256"),
            Case(name: "time", signers: ["ec"], attributes: [.attrSigningTime]),
            Case(
                name: "all",
                signers: ["rsa", "ec"],
                attributes: [
                    .attrSigningTime, .attrSmimeCapabilities, .attrSmimeEncryptionKeyPrefs,
                    .attrSmimeMSEncryptionKeyPrefs,
                ]
            ),
            Case(name: "detached", signers: ["rsa", "ec"], attributes: [.attrSigningTime], isDetached: true),
            Case(name: "bare-detached", signers: ["ec"], isDetached: true),
            Case(name: "typed", signers: ["ec"], type: "1.2.3.4"),
        ]
    )
    func good(_ one: Case) throws {
        let files = try MessageFiles.shared.get()
        let contents = try files.data("contents")
        let message = try files.trusting { () throws -> Data in
            let encoder = try MessageCalls.encoder()
            if let digest = one.digest {
                #expect(CMSEncoderSetSignerAlgorithm(encoder, digest as CFString) == errSecSuccess)
            }
            if let type = one.type {
                #expect(CMSEncoderSetEncapsulatedContentTypeOID(encoder, type as CFString) == errSecSuccess)
            }
            for signer in one.signers {
                #expect(try CMSEncoderAddSigners(encoder, files.identity(signer)) == errSecSuccess)
            }
            #expect(try CMSEncoderAddSupportingCerts(encoder, files.certificate("middle")) == errSecSuccess)
            #expect(CMSEncoderAddSignedAttributes(encoder, one.attributes) == errSecSuccess)
            #expect(CMSEncoderSetHasDetachedContent(encoder, one.isDetached) == errSecSuccess)
            let (message, status) = MessageCalls.finish(encoder, contents)
            #expect(status == errSecSuccess)
            let again = MessageCalls.finish(encoder, nil).message
            #expect(again == message)
            return try #require(message)
        }
        try files.write(message, to: "our-\(one.name).p7m")
        let options = one.isDetached ? "-content contents" : ""
        try files.run(
            "\(Self.verify) $2 -in our-$1.p7m -out our-$1.out && cmp contents our-$1.out",
            with: one.name,
            and: options
        )
        try files.trusting { () throws in
            let decoder = try MessageCalls.decoder(message, detached: one.isDetached ? contents : nil)
            #expect(MessageCalls.contents(decoder) == (one.isDetached ? nil : contents))
            for index in one.signers.indices {
                #expect(MessageCalls.standing(in: decoder, at: index) == .valid)
                let hasTime = one.attributes.contains(.attrSigningTime)
                let time = MessageCalls.value(0, expecting: hasTime ? errSecSuccess : errSecSigningTimeMissing) {
                    CMSDecoderCopySignerSigningTime(decoder, index, $0)
                }
                #expect(abs(time - (hasTime ? Date.now.timeIntervalSinceReferenceDate : 0)) < 600)
            }
            let type: CFData? = MessageCalls.value(nil) { CMSDecoderCopyEncapsulatedContentType(decoder, $0) }
            #expect(type?.length == (one.type == nil ? 9 : 3))
        }
    }

    @Test("the attributes are what they say")
    func attributes() throws {
        let files = try MessageFiles.shared.get()
        var message: CFData?
        let contents = [UInt8]("text".utf8)
        let status = CMSEncodeContent(
            try files.identity("ec"),
            nil,
            nil,
            false,
            [.attrSmimeCapabilities, .attrSmimeEncryptionKeyPrefs, .attrSmimeMSEncryptionKeyPrefs, .attrSigningTime],
            contents,
            contents.count,
            &message
        )
        #expect(status == errSecSuccess)
        try files.write(try #require(message as Data?), to: "attributes.p7m")
        try files.run(
            """
            openssl cms -cmsout -print -noout -inform DER -in attributes.p7m -out attributes.txt
            for text in signingTime 'S/MIME Capabilities' id-smime-aa-encrypKeyPref 1.3.6.1.4.1.311.16.4 aes-256-cbc \\
                'ecdsa-with-SHA256' 'contentType' 'messageDigest'; do
                grep -q "$text" attributes.txt || { echo "no $text"; cat attributes.txt; exit 1; }
            done
            """
        )
    }

    @Test("the message has the certificates that were asked for")
    func certificates() throws {
        let files = try MessageFiles.shared.get()
        let chains: [(CMSCertificateChainMode, [String])] = [
            (.none, []), (.signerOnly, ["ec"]), (.chain, ["ec", "middle"]), (.chainWithRoot, ["ec", "middle", "root"]),
            (.chainWithRootOrFail, ["ec", "middle", "root"]),
        ]
        for (mode, names) in chains {
            try files.trusting { () throws in
                for name in ["middle", "root"] {
                    let item = [kSecValueRef: try files.certificate(name)] as CFDictionary
                    #expect(SecItemAdd(item, nil) == errSecSuccess)
                }
                let encoder = try MessageCalls.encoder()
                #expect(try CMSEncoderAddSigners(encoder, files.identity("ec")) == errSecSuccess)
                #expect(MessageCalls.value(.none) { CMSEncoderGetCertificateChainMode(encoder, $0) } == .chain)
                #expect(CMSEncoderSetCertificateChainMode(encoder, mode) == errSecSuccess)
                #expect(MessageCalls.value(.none) { CMSEncoderGetCertificateChainMode(encoder, $0) } == mode)
                let decoder = try MessageCalls.decoder(try #require(MessageCalls.finish(encoder, Data([1])).message))
                let found: CFArray? = MessageCalls.value(nil) { CMSDecoderCopyAllCerts(decoder, $0) }
                #expect(try found as? [SecCertificate] ?? [] == names.map(files.certificate))
            }
        }
    }

    @Test("a root that is not at hand is no certificate of the chain, or an error where it was asked for")
    func missingRoot() throws {
        let files = try MessageFiles.shared.get()
        let context = KeychainContext(backend: try TemporaryKeychain(), client: .init(accessGroups: ["group"]))
        try KeychainContext.$current.withValue(context) { () throws in
            for (mode, status) in [
                (CMSCertificateChainMode.chainWithRoot, errSecSuccess), (.chainWithRootOrFail, errSecCreateChainFailed),
            ] {
                let encoder = try MessageCalls.encoder()
                #expect(try CMSEncoderAddSigners(encoder, files.identity("ec")) == errSecSuccess)
                #expect(CMSEncoderSetCertificateChainMode(encoder, mode) == errSecSuccess)
                #expect(MessageCalls.finish(encoder, Data([1])).status == status)
            }
        }
    }

    @Test("certificates alone are a message without signers, as OpenSSL lists them")
    func certificatesOnly() throws {
        let files = try MessageFiles.shared.get()
        let encoder = try MessageCalls.encoder()
        let all = try ["middle", "root"].map(files.certificate)
        #expect(CMSEncoderAddSupportingCerts(encoder, all as CFArray) == errSecSuccess)
        let message = try #require(MessageCalls.finish(encoder, nil).message)
        try files.write(message, to: "certificates.p7b")
        try files.run("openssl pkcs7 -inform DER -in certificates.p7b -print_certs | grep -q 'CN = Middle'")
        let decoder = try MessageCalls.decoder(message)
        #expect(MessageCalls.standing(in: decoder) == .unsigned)
        #expect(MessageCalls.contents(decoder) == nil)
        let found: CFArray? = MessageCalls.value(nil) { CMSDecoderCopyAllCerts(decoder, $0) }
        #expect(found as? [SecCertificate] == all)
    }

    @Test("what was set can be asked for, and nothing is set once there are contents")
    func settings() throws {
        let files = try MessageFiles.shared.get()
        let encoder = try MessageCalls.encoder()
        #expect(CFGetTypeID(encoder) == CMSEncoderGetTypeID())
        #expect(CMSEncoderGetTypeID() != CMSDecoderGetTypeID())
        #expect(MessageCalls.value(nil) { CMSEncoderCopySigners(encoder, $0) } == nil)
        #expect(MessageCalls.value(nil) { CMSEncoderCopyRecipients(encoder, $0) } == nil)
        #expect(MessageCalls.value(nil) { CMSEncoderCopySupportingCerts(encoder, $0) } == nil)
        #expect(MessageCalls.value(nil) { CMSEncoderCopyEncapsulatedContentType(encoder, $0) } == nil)
        #expect(!MessageCalls.value(DarwinBoolean(true)) { CMSEncoderGetHasDetachedContent(encoder, $0) }.boolValue)
        let (identity, certificate) = (try files.identity("ec"), try files.certificate("rsa"))
        let setters: [(CMSEncoder) -> OSStatus] = [
            { CMSEncoderAddSigners($0, [identity] as CFArray) }, { CMSEncoderAddRecipients($0, certificate) },
            { CMSEncoderAddSupportingCerts($0, certificate) }, { CMSEncoderSetHasDetachedContent($0, true) },
            { CMSEncoderSetEncapsulatedContentTypeOID($0, "1.2.840.113549.1.7.1" as CFString) },
            { CMSEncoderAddSignedAttributes($0, .attrSigningTime) },
            { CMSEncoderSetCertificateChainMode($0, .signerOnly) },
            { CMSEncoderSetSignerAlgorithm($0, kCMSEncoderDigestAlgorithmSHA256) },
        ]
        for set in setters { #expect(set(encoder) == errSecSuccess) }
        let signers: CFArray? = MessageCalls.value(nil) { CMSEncoderCopySigners(encoder, $0) }
        #expect(signers as? [SecIdentity] == [identity])
        let recipients: CFArray? = MessageCalls.value(nil) { CMSEncoderCopyRecipients(encoder, $0) }
        #expect(recipients as? [SecCertificate] == [certificate])
        let type: CFData? = MessageCalls.value(nil) { CMSEncoderCopyEncapsulatedContentType(encoder, $0) }
        #expect(type as Data? == Data([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]))
        #expect(MessageCalls.value(DarwinBoolean(false)) { CMSEncoderGetHasDetachedContent(encoder, $0) }.boolValue)
        // Contents outside of an encrypted message would not be encrypted.
        #expect(MessageCalls.finish(encoder, Data([1])).status == errSecParam)
        for set in setters { #expect(set(encoder) == errSecParam) }
    }

    @Test("arguments of other kinds are refused, and a message of nothing is none")
    func wrongArguments() throws {
        let files = try MessageFiles.shared.get()
        let encoder = try MessageCalls.encoder()
        let certificate = try files.certificate("ec")
        #expect(CMSEncoderAddSigners(encoder, certificate) == errSecParam)
        #expect(try CMSEncoderAddRecipients(encoder, files.identity("ec")) == errSecParam)
        #expect(CMSEncoderAddSupportingCerts(encoder, [certificate, NSString()] as CFArray) == errSecParam)
        #expect(CMSEncoderSetSignerAlgorithm(encoder, "md5") == errSecParam)
        for text in ["", "1", "data", "1.2.", "9.9.9", "1.2.99999999999999999999999999"] {
            #expect(CMSEncoderSetEncapsulatedContentTypeOID(encoder, text as CFString) == errSecParam)
        }
        #expect(CMSEncoderSetEncapsulatedContentTypeOID(encoder, NSNumber(value: 1)) == errSecParam)
        #expect(CMSEncoderAddSignedAttributes(encoder, .attrAppleCodesigningHashAgility) == errSecUnimplemented)
        #expect(CMSEncoderAddSignedAttributes(encoder, CMSSignedAttributes(rawValue: 1 << 20)) == errSecParam)
        #expect(CMSEncoderUpdateContent(encoder, [1 as UInt8], -1) == errSecParam)
        #expect(MessageCalls.finish(encoder, nil).status == errSecParam)
        var message: CFData?
        let none = CMSEncodeContent(nil, nil, nil, false, [], [1 as UInt8], 1, &message)
        #expect(none == errSecParam && message == nil)
        let other = CMSEncodeContent(certificate, nil, nil, false, [], [1 as UInt8], 1, nil)
        #expect(other == errSecParam)
        var time = 0.0
        #expect(CMSEncoderCopySignerTimestamp(encoder, 0, &time) == errSecParam)
        #expect(try CMSEncoderAddSigners(encoder, files.identity("ec")) == errSecSuccess)
        #expect(CMSEncoderCopySignerTimestamp(encoder, 0, &time) == errSecTimestampMissing)
    }
}
