// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Security
import Testing

/// `kSecMatchTrustedOnly` and the policy of basic X.509, on a device whose owner trusts somebody.
struct TrustedItemTests {
    @Test(
        "a query for trusted certificates finds one that trust settings trust",
        arguments: [kSecMatchTrustedOnly as String, kSecMatchPolicy as String]
    )
    func trustedOnly(_ condition: String) throws {
        let device = try VirtualDevice()
        let root = try TrustCertificates.certificate("root")
        try device.install("com.example.app", team: "TEAMID1234").run { () throws in
            let item: [CFString: Any] = [kSecClass: kSecClassCertificate, kSecValueRef: root]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            var query: [String: Any] = [kSecClass as String: kSecClassCertificate]
            let isPolicy = condition == kSecMatchPolicy as String
            query[condition] = isPolicy ? SecPolicyCreateBasicX509() : true
            query[kSecMatchValidOnDate as String] = TrustCertificates.date
            #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
            #expect(SecTrustSettingsSetTrustSettings(root, .user, nil) == errSecSuccess)
            #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess)
            #expect(try SecTrustEvaluateWithError(TrustCertificates.trust(["server", "issuer"], anchors: nil), nil))
            query[kSecMatchValidOnDate as String] = Date(timeIntervalSince1970: 0)
            #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
        }
        try VirtualDevice().install("com.example.app", team: "TEAMID1234").run { () throws in
            let trust = try TrustCertificates.trust(["server", "issuer"], anchors: nil)
            #expect(!SecTrustEvaluateWithError(trust, nil), "another device has other settings")
        }
    }
}
