// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainKeys

/// The key derivation function of X9.63 against NIST's vectors (CAVS, ansx963_2001) and OpenSSL.
struct X963KeyDerivationTests {
    @Test(
        "NIST's vectors",
        arguments: [
            (
                DigestAlgorithm.sha1, "1c7d7b5f0597b03d06a018466ed1a93e30ed4b04dc64ccdd", "",
                "bf71dffd8f4d99223936beb46fee8ccc"
            ),
            (.sha256, "96c05619d56c328ab95fe84b18264b08725b85e33fd34f08", "", "443024c3dae66b95e6f5670601558f71"),
            (.sha256, "96f600b73ad6ac5629577eced51743dd2c24c21b1ac83ee4", "", "b6295162a7804f5667ba9070f82fa522"),
            (
                .sha256, "22518b10e70f2a3f243810ae3254139efbee04aa57c7af7d", "75eef81aa3041e33b80971203d2c0c52",
                "c498af77161cc59f2962b9a713e2b215152d139766ce34a776df11866a69bf2e52a13d9c7c6fc878c50c5ea0bc7b00e0"
                    + "da2447cfd874f6cf92f30d0097111485500c90c3af8b487872d04685d14c8d1dc8d7fa08beb0ce0ababc11f0bd496269"
                    + "142d43525a78e5bc79a17f59676a5706dc54d54d4d1f0bd7e386128ec26afc21"
            ),
        ]
    )
    func nist(digest: DigestAlgorithm, secret: String, info: String, key: String) throws {
        let derived = try X963KeyDerivation(digest: digest)
            .key(SecretBytes([UInt8](hex: secret)), [UInt8](hex: info), count: key.count / 2)
        #expect(derived.unprotectedCopy.hex == key)
    }

    @Test("every digest function gives what OpenSSL gives", arguments: DigestAlgorithm.allCases)
    func openSSL(_ digest: DigestAlgorithm) throws {
        let arguments = [
            "-kdfopt", "digest:\(digest.rawValue)", "-kdfopt", "hexsecret:00112233", "-kdfopt", "hexinfo:abcdef",
        ]
        let expected = try Tool.output("openssl", ["kdf", "-keylen", "150", "-binary"] + arguments + ["X963KDF"])
        let derived = try X963KeyDerivation(digest: digest)
            .key(SecretBytes([0x00, 0x11, 0x22, 0x33]), [0xAB, 0xCD, 0xEF], count: 150)
        #expect(derived.unprotectedCopy == expected)
    }

    @Test("sizes that cannot be are refused", arguments: [-1, Int.min, X963KeyDerivation.maximum + 1, Int.max])
    func sizes(_ size: Int) {
        #expect(throws: KeyError.parameter("the requested size is not possible")) {
            try X963KeyDerivation(digest: .sha256).key(SecretBytes([1]), [], count: size)
        }
    }
}
