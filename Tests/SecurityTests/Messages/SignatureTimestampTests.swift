// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Security
import Testing

/// Times that an authority, here `openssl ts`, has put to a signature.
@Suite(.serialized)
struct SignatureTimestampTests {
    /// A token for bytes; made again as the script says.
    private static func token(in files: MessageFiles, of bytes: [UInt8], by script: String) throws -> [UInt8] {
        try files.write(Data(bytes), to: "stamped")
        try files.run(
            """
            cat > ts.cnf <<'END'
            [tsa]
            default_tsa = clock
            [clock]
            serial = ts.serial
            default_policy = 1.2.3.4
            signer_digest = sha256
            digests = sha1, sha256, sha512
            accuracy = secs:1
            clock_precision_digits = 3
            ess_cert_id_chain = no
            END
            echo 01 > ts.serial
            openssl ts -query -data stamped -sha512 -cert -out ts.query
            openssl ts -reply -config ts.cnf -section clock -queryfile ts.query -signer clock.pem -inkey clock.key \\
                -token_out -out ts.token
            \(script)
            """
        )
        return [UInt8](try files.data("ts.token"))
    }

    private static func message(
        _ files: MessageFiles,
        script: String = "",
        _ stamped: @escaping ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> CMSDecoder {
        var maker = try MessageMaker()
        maker.unsigned = { signature in
            let token = try Self.token(in: files, of: stamped(signature), by: script)
            return TestDER.tagged(1, MessageMaker.attribute("1.2.840.113549.1.9.16.2.14", token))
        }
        return try MessageCalls.decoder(maker.message(files))
    }

    @Test("a timestamp of the signature is told when its authority is trusted")
    func good() throws {
        let files = try MessageFiles.shared.get()
        let decoder = try Self.message(files) { $0 }
        #expect(MessageCalls.standing(in: decoder, evaluates: false) == .valid)
        let certificates: CFArray? = MessageCalls.value(nil) {
            CMSDecoderCopySignerTimestampCertificates(decoder, 0, $0)
        }
        #expect(try certificates as? [SecCertificate] == [files.certificate("clock")])
        try files.trusting { () throws in
            let time = MessageCalls.value(0) { CMSDecoderCopySignerTimestamp(decoder, 0, $0) }
            #expect(abs(time - Date.now.timeIntervalSinceReferenceDate) < 600)
            let basic = SecPolicyCreateBasicX509()
            let other = MessageCalls.value(0) { CMSDecoderCopySignerTimestampWithPolicy(decoder, basic, 0, $0) }
            #expect(other == time)
            let tls = SecPolicyCreateSSL(true, nil)
            _ = MessageCalls.value(0, expecting: errSecTimestampNotTrusted) {
                CMSDecoderCopySignerTimestampWithPolicy(decoder, tls, 0, $0)
            }
            _ = MessageCalls.value(0, expecting: errSecParam) {
                CMSDecoderCopySignerTimestampWithPolicy(decoder, NSString(), 0, $0)
            }
        }
        _ = MessageCalls.value(0, expecting: errSecTimestampNotTrusted) {
            CMSDecoderCopySignerTimestamp(decoder, 0, $0)
        }
    }

    @Test("a timestamp of other bytes is none, and a signature may have none")
    func other() throws {
        let files = try MessageFiles.shared.get()
        let other = try Self.message(files) { $0 + [0] }
        _ = MessageCalls.value(0, expecting: errSecTimestampInvalid) { CMSDecoderCopySignerTimestamp(other, 0, $0) }
        _ = MessageCalls.value(nil, expecting: errSecTimestampInvalid) {
            CMSDecoderCopySignerTimestampCertificates(other, 0, $0)
        }
        let none = try MessageCalls.decoder(MessageMaker().message(files))
        _ = MessageCalls.value(0, expecting: errSecTimestampMissing) { CMSDecoderCopySignerTimestamp(none, 0, $0) }
        _ = MessageCalls.value(nil, expecting: errSecTimestampMissing) {
            CMSDecoderCopySignerTimestampCertificates(none, 0, $0)
        }
    }

    @Test("a timestamp whose signature does not name its certificate is none, even by the same authority")
    func unnamed() throws {
        let files = try MessageFiles.shared.get()
        let again = """
            openssl cms -verify -noverify -binary -inform DER -in ts.token -out ts.info
            openssl cms -sign -binary -nodetach -econtent_type 1.2.840.113549.1.9.16.1.4 -in ts.info -outform DER \
                -signer clock.pem -inkey clock.key -out ts.token
            """
        let plain = try Self.message(files, script: again)
        _ = MessageCalls.value(0, expecting: errSecTimestampInvalid) { CMSDecoderCopySignerTimestamp(plain, 0, $0) }
        let named = try Self.message(
            files,
            script: again.replacingOccurrences(of: "-nodetach", with: "-nodetach -cades")
        )
        try files.trusting { () throws in
            _ = MessageCalls.value(0) { CMSDecoderCopySignerTimestamp(named, 0, $0) }
        }
        _ = MessageCalls.value(nil) { CMSDecoderCopySignerTimestampCertificates(named, 0, $0) }
    }

    @Test("a timestamp without the certificate of its authority is checked by that of the message")
    func certificateElsewhere() throws {
        let files = try MessageFiles.shared.get()
        let bare = """
            openssl ts -query -data stamped -sha256 -out ts.query
            openssl ts -reply -config ts.cnf -section clock -queryfile ts.query -signer clock.pem -inkey clock.key \
                -token_out -out ts.token
            """
        var maker = try MessageMaker()
        maker.unsigned = { signature in
            let token = try Self.token(in: files, of: signature, by: bare)
            return TestDER.tagged(1, MessageMaker.attribute("1.2.840.113549.1.9.16.2.14", token))
        }
        let without = try MessageCalls.decoder(maker.message(files))
        _ = MessageCalls.value(0, expecting: errSecTimestampInvalid) { CMSDecoderCopySignerTimestamp(without, 0, $0) }
        maker.otherCertificates = try [files.data("clock.der")]
        let with = try MessageCalls.decoder(maker.message(files))
        try files.trusting { () throws in
            _ = MessageCalls.value(0) { CMSDecoderCopySignerTimestamp(with, 0, $0) }
        }
    }
}
