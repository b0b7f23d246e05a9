// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// One-time passwords (RFC 4226, RFC 6238).
struct OneTimePasswordTests {
    private static func key(_ uri: String) throws -> OneTimePassword {
        try OneTimePassword(SecretBytes(Array(uri.utf8)))
    }

    private static let sha1Key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    private static let sha256Key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA"
    private static let sha512Key =
        "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA"

    @Test(
        "the values of RFC 6238, appendix B",
        arguments: [
            (59, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"), (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"), (20_000_000_000, "65353130", "77737706", "47863826"),
        ]
    )
    func time(_ seconds: Int, sha1: String, sha256: String, sha512: String) throws {
        for (algorithm, key, code) in [
            ("SHA1", Self.sha1Key, sha1), ("SHA256", Self.sha256Key, sha256), ("SHA512", Self.sha512Key, sha512),
        ] {
            let uri = "otpauth://totp/x?secret=\(key)&algorithm=\(algorithm)&digits=8"
            #expect(try Self.key(uri).code(at: seconds) == code)
        }
    }

    @Test("the values of RFC 4226, appendix D")
    func counter() throws {
        let key = try Self.key("otpauth://hotp/x?secret=\(Self.sha1Key)&counter=0")
        let codes = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        #expect((0..<10).map { key.code(of: $0) } == codes)
    }

    @Test("a key alone is one of six digits every 30 seconds, with blanks and in either case")
    func keyAlone() throws {
        #expect(try Self.key("gezd gnbv gy3t qojq gezd gnbv gy3t qojq\n").code(at: 59) == "287082")
    }

    @Test(
        "what is no key says so, and repeats nothing of it",
        arguments: [
            "", "hunter2!", "MFRGGZDFMZTWQ2L", "otpauth://totp/x", "otpauth://totp/x?secret=",
            "otpauth://totp/x?secret=hunter18",
            "otpauth://totp/x?secret=MFRA&digits=5", "otpauth://totp/x?secret=MFRA&digits=99",
            "otpauth://totp/x?secret=MFRA&period=0", "otpauth://totp/x?secret=MFRA&algorithm=MD5",
            "otpauth://hotp/x?secret=MFRA", "otpauth://hotp/x?secret=MFRA&counter=18446744073709551615",
            "otpauth://steam/x?secret=MFRA", "otpauth://totp/x?secret=MFRA&secret=MFRA",
            "otpauth://totp/x?secret=%FF", "otpauth://totp/x?secret=MFRA%2",
        ]
    )
    func invalid(_ text: String) {
        #expect { try Self.key(text) } throws: { error in
            "\(error)".contains("no key for one-time passwords") && !"\(error)".contains("hunter")
        }
    }

    @Test("a counter is counted on, once for each password that is shown")
    func countsOn() throws {
        let scene = try ItemScene()
        let uri = "otpauth://hotp/x?secret=\(Self.sha1Key)&counter=0&digits=6"
        _ = try scene.run("set", "svc/otp", input: uri)
        #expect(try scene.run("otp", "svc/otp").output == "755224")
        #expect(try scene.run("otp", "svc/otp").output == "287082")
        #expect(try scene.run("get", "svc/otp").text.contains("&counter=2&digits=6"))
        let field = try scene.run("get", "svc/otp", "--field", "otp")
        #expect(field.status == 1 && field.error.contains("counter"))
        #expect(try scene.run("get", "svc/otp").text.contains("&counter=2&digits=6"))
    }

    @Test(
        "a key that is a picture's is known as a URI, and a word is not",
        arguments: [
            ("otpauth://totp/x?secret=MFRA", true), ("OTPAUTH://totp/x?secret=MFRA", true), ("MFRA", false),
            ("otpauth://totp/x", false), ("", false), ("otpauth", false),
        ]
    )
    func uri(_ text: String, _ isURI: Bool) {
        #expect(OneTimePassword.isURI(SecretBytes(Array(text.utf8))) == isURI)
    }

    @Test("a picture has one key, and nothing else is stored")
    func picture() throws {
        var scene = try ItemScene()
        for (output, isStored) in [
            ("otpauth://totp/x?secret=\(Self.sha1Key)\n", true), ("https://example.com\n", false), ("", false),
            ("otpauth://totp/x?secret=MFRA\notpauth://totp/y?secret=MFRA\n", false), ("otpauth://totp/x\n", false),
        ] {
            scene.control.output = { (words) throws(Refusal) in
                #expect(words.first == "zbarimg")
                return output
            }
            #expect(try scene.run("otp", "--picture", "qr.png", "svc/otp").status == (isStored ? 0 : 1), "\(output)")
            #expect(try scene.run("get", "svc/otp").text == "otpauth://totp/x?secret=\(Self.sha1Key)")
        }
    }

    @Test("a picture replaces an older key, and a password only on request", arguments: ["hunter2", "MFRGGZDF"])
    func pictureOverPassword(_ password: String) throws {
        var scene = try ItemScene()
        let uri = "otpauth://totp/x?secret=\(Self.sha1Key)"
        scene.control.output = { (_) throws(Refusal) in uri }
        _ = try scene.run("set", "svc/ada", input: password)
        let refused = try scene.run("otp", "--picture", "qr.png", "svc/ada")
        #expect(refused.status == 1 && refused.error.contains("--replace"), "\(refused)")
        #expect(try scene.run("get", "svc/ada").text == password)
        #expect(try scene.run("otp", "--picture", "qr.png", "svc/ada", "--replace").status == 0)
        #expect(try scene.run("get", "svc/ada").text == uri)
        _ = try scene.run("set", "svc/ada", input: "otpauth://totp/x?secret=MFRA")
        #expect(try scene.run("otp", "--picture", "qr.png", "svc/ada").remarks == "Replaced svc/ada.")
        #expect(try scene.run("get", "svc/ada").text == uri)
        #expect(try scene.run("otp", "svc/ada", "--replace").status == 2)
    }

    @Test("no value of a counter is given out twice by calls at the same time")
    func countsOnAtOnce() throws {
        let folder = try TemporaryFolder()
        let uri = "otpauth://hotp/x?secret=\(Self.sha1Key)&counter=0"
        #expect(try ControlProcess.run(["keychainctl", "set", "svc/otp"], folder, input: uri).0 == 0)
        let line = "for i in 0 1 2 3 4 5 6 7 8 9; do keychainctl otp svc/otp & done; wait"
        let outcome = try ControlProcess.run(["sh", "-c", line], folder)
        let codes = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        #expect(outcome.1.split(separator: "\n").map(String.init).sorted() == codes.sorted(), "\(outcome)")
        #expect(try ControlProcess.run(["keychainctl", "get", "svc/otp"], folder).1.hasSuffix("&counter=10"))
    }
}
