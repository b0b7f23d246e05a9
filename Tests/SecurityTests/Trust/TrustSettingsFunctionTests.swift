// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Security
import Testing

@testable import KeychainServices

/// The functions on trust settings, in settings of their own.
struct TrustSettingsFunctionTests {
    /// Runs `body` in a context with settings that are empty.
    private func withSettings(_ body: () throws -> Void) throws {
        let context = KeychainContext(backend: try TemporaryKeychain(), client: .init(accessGroups: []))
        try KeychainContext.$current.withValue(context) { try body() }
    }

    private func isTrusted(_ names: [String], _ policy: SecPolicy = SecPolicyCreateBasicX509()) throws -> Bool {
        SecTrustEvaluateWithError(try TrustCertificates.trust(names, policy, anchors: nil), nil)
    }

    @Test("a root that a user trusts is an anchor until the settings are removed")
    func root() throws {
        let root = try TrustCertificates.certificate("root")
        try withSettings { () throws in
            #expect(SecTrustSettingsCopyCertificates(.user, nil) == errSecNoTrustSettings)
            #expect(try !isTrusted(["server", "issuer"]))
            #expect(SecTrustSettingsSetTrustSettings(root, .user, nil) == errSecSuccess)
            #expect(try isTrusted(["server", "issuer"]))
            var certificates: CFArray?
            #expect(SecTrustSettingsCopyCertificates(.user, &certificates) == errSecSuccess)
            #expect(certificates as? [SecCertificate] == [root])
            var date: CFDate?
            #expect(SecTrustSettingsCopyModificationDate(root, .user, &date) == errSecSuccess)
            #expect(abs((date as Date?)?.timeIntervalSinceNow ?? 1000) < 600)
            #expect(SecTrustSettingsRemoveTrustSettings(root, .user) == errSecSuccess)
            #expect(SecTrustSettingsRemoveTrustSettings(root, .user) == errSecItemNotFound)
            #expect(try !isTrusted(["server", "issuer"]))
        }
    }

    @Test("settings come back as they were set")
    func copies() throws {
        let root = try TrustCertificates.certificate("root")
        let rule: [String: Any] = [
            kSecTrustSettingsPolicy: SecPolicyCreateSSL(true, nil), kSecTrustSettingsPolicyString: "www.example.com",
            kSecTrustSettingsResult: SecTrustSettingsResult.trustRoot.rawValue,
            kSecTrustSettingsAllowedError: -2_147_409_654, kSecTrustSettingsKeyUsage: 8,
        ]
        try withSettings { () throws in
            #expect(SecTrustSettingsSetTrustSettings(root, .user, rule as CFDictionary) == errSecSuccess)
            var copied: CFArray?
            #expect(SecTrustSettingsCopyTrustSettings(root, .user, &copied) == errSecSuccess)
            let members = try #require((copied as? [[String: Any]])?.first)
            let policy = try #require(members[kSecTrustSettingsPolicy] as? SecPolicy)
            #expect(policy.value == .tls(isServer: true, host: nil))
            #expect(members[kSecTrustSettingsPolicyString] as? String == "www.example.com")
            #expect(members[kSecTrustSettingsResult] as? Int == 1)
            #expect(members[kSecTrustSettingsAllowedError] as? Int == -2_147_409_654)
            #expect(members[kSecTrustSettingsKeyUsage] as? Int == 8)
            #expect(try isTrusted(["server", "issuer"], SecPolicyCreateSSL(true, "www.example.com" as CFString)))
            #expect(try !isTrusted(["server", "issuer"]))
            #expect(SecTrustSettingsCopyTrustSettings(root, .admin, &copied) == errSecItemNotFound)
        }
    }

    @Test("what is denied is not trusted, with a code of its own")
    func denial() throws {
        let issuer = try TrustCertificates.certificate("issuer")
        try withSettings { () throws in
            let rule = [kSecTrustSettingsResult: SecTrustSettingsResult.deny.rawValue]
            #expect(SecTrustSettingsSetTrustSettings(issuer, .user, [rule] as CFArray) == errSecSuccess)
            let trust = try TrustCertificates.trust(["server", "issuer"])
            var error: CFError?
            #expect(!SecTrustEvaluateWithError(trust, &error))
            #expect(error?.code == Int(errSecTrustSettingDeny))
            var result = SecTrustResultType.invalid
            #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess && result == .deny)
        }
    }

    @Test("settings travel as a property list")
    func representation() throws {
        let root = try TrustCertificates.certificate("root")
        var list: CFData?
        try withSettings { () throws in
            #expect(SecTrustSettingsCreateExternalRepresentation(.user, &list) == errSecNoTrustSettings)
            #expect(SecTrustSettingsSetTrustSettings(root, .user, nil) == errSecSuccess)
            #expect(SecTrustSettingsCreateExternalRepresentation(.user, &list) == errSecSuccess)
        }
        try withSettings { () throws in
            #expect(SecTrustSettingsImportExternalRepresentation(.user, list) == errSecSuccess)
            #expect(try isTrusted(["server", "issuer"]))
            let wrong = Data("x".utf8) as CFData
            #expect(SecTrustSettingsImportExternalRepresentation(.user, wrong) == errSecInvalidTrustSettings)
            #expect(try isTrusted(["server", "issuer"]))
            #expect(SecTrustSettingsImportExternalRepresentation(.user, nil) == errSecSuccess)
            #expect(try !isTrusted(["server", "issuer"]))
        }
    }

    @Test("settings that mean nothing are refused, and so are those of the system")
    func refusals() throws {
        let (root, issuer) = (try TrustCertificates.certificate("root"), try TrustCertificates.certificate("issuer"))
        try withSettings { () throws in
            #expect(SecTrustSettingsSetTrustSettings(issuer, .user, nil) == errSecParam)
            let wrong: [CFTypeRef] = [
                NSString("x"), ["x"] as CFArray, [kSecTrustSettingsResult: "1"] as CFDictionary,
                [kSecTrustSettingsResult: 9] as CFDictionary, [kSecTrustSettingsPolicy: "x"] as CFDictionary,
                [kSecTrustSettingsResult: 2] as CFDictionary,
            ]
            for one in wrong { #expect(SecTrustSettingsSetTrustSettings(root, .user, one) == errSecParam) }
            let program = [kSecTrustSettingsApplication: "x"] as CFDictionary
            #expect(SecTrustSettingsSetTrustSettings(root, .user, program) == errSecUnimplemented)
            #expect(SecTrustSettingsSetTrustSettings(root, .system, nil) == errSecWrPerm)
            #expect(SecTrustSettingsImportExternalRepresentation(.system, nil) == errSecWrPerm)
        }
    }

    @Test("a query for trusted certificates finds those that the system trusts, whatever a program's settings are")
    func systemAnchors() throws {
        var anchors: CFArray?
        #expect(SecTrustCopyAnchorCertificates(&anchors) == errSecSuccess)
        var certificates: CFArray?
        #expect(SecTrustSettingsCopyCertificates(.system, &certificates) == errSecSuccess)
        #expect(certificates?.count == anchors?.count)
    }
}
