// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Testing

/// CommonHMAC.h against RFC 4231, cases 2 and 6, and RFC 2202, case 2 and the key of case 6.
struct HMACTests {
    @Test(
        arguments: [
            (kCCHmacAlgMD5, "750c783e6ab0b503eaa86e310a5db738", "bfecaf4efff90a3a668f3922fec3762d"),
            (
                kCCHmacAlgSHA1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79", "90d0dace1c1bdc957339307803160335bde6df2b"
            ),
            (
                kCCHmacAlgSHA224, "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
                "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e"
            ),
            (
                kCCHmacAlgSHA256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                kCCHmacAlgSHA384,
                "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
                "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952"
            ),
            (
                kCCHmacAlgSHA512,
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                    + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
                "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                    + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
            ),
        ]
    )
    func `codes are those of the standards`(_ algorithm: Int, _ short: String, _ long: String) {
        let cases = [
            ("Jefe", "what do ya want for nothing?", short),
            (String(repeating: "\u{AA}", count: 131), "Test Using Larger Than Block-Size Key - Hash Key First", long),
        ]
        for (key, message, code) in cases {
            let key = key.unicodeScalars.map { UInt8($0.value) }
            #expect(Array(whole(algorithm, key: key, message: message).prefix(code.count / 2)).hex == code)
            #expect(Array(inParts(algorithm, key: key, message: message, of: 9).prefix(code.count / 2)).hex == code)
        }
    }

    @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 129, 200])
    func `contexts agree with whole messages for keys of any length`(_ count: Int) {
        let key = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for algorithm in kCCHmacAlgSHA1...kCCHmacAlgSHA224 {
            let message = String(repeating: "message ", count: count)
            #expect(
                inParts(algorithm, key: key, message: message, of: 50) == whole(algorithm, key: key, message: message),
                "\(algorithm)"
            )
        }
    }

    @Test func `the end of a message wipes its context, and an unknown algorithm writes nothing`() {
        var context = CCHmacContext()
        CCHmacInit(&context, CCHmacAlgorithm(kCCHmacAlgSHA256), "key", 3)
        var code = [UInt8](repeating: 0, count: 64)
        CCHmacFinal(&context, &code)
        #expect(withUnsafeBytes(of: context) { $0.allSatisfy { $0 == 0 } })
        #expect(whole(99, key: [1], message: "message") == inParts(99, key: [1], message: "message", of: 2))
        #expect(whole(99, key: [1], message: "message").allSatisfy { $0 == 0 })
    }

    private func whole(_ algorithm: Int, key: [UInt8], message: String) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 64)
        CCHmac(CCHmacAlgorithm(algorithm), key, key.count, message, message.utf8.count, &code)
        return code
    }

    private func inParts(_ algorithm: Int, key: [UInt8], message: String, of count: Int) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 64)
        var context = CCHmacContext()
        CCHmacInit(&context, CCHmacAlgorithm(algorithm), key, key.count)
        let bytes = Array(message.utf8)
        for start in stride(from: 0, to: bytes.count, by: count) {
            let part = Array(bytes[start..<min(start + count, bytes.count)])
            CCHmacUpdate(&context, part, part.count)
        }
        CCHmacFinal(&context, &code)
        return code
    }
}
