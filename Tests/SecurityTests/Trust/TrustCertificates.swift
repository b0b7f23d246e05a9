// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// The certificates of `KeychainTrustTests/Cases`, as objects.
enum TrustCertificates {
    private static let all: [String: String] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../KeychainTrustTests/Cases/certificates.json").standardizedFileURL
        let texts = (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode([String: String].self, from: $0) }
        return texts ?? [:]
    }()

    static func data(_ name: String) throws -> Data { try #require(all[name].flatMap { Data(base64Encoded: $0) }) }

    static func certificate(_ name: String) throws -> SecCertificate {
        try #require(SecCertificateCreateWithData(nil, data(name) as CFData))
    }

    /// 2030-01-01.
    static let date = Date(timeIntervalSince1970: 1_893_456_000)

    /// An object that judges certificates in 2030, with anchors that are given.
    static func trust(
        _ names: [String],
        _ policy: SecPolicy = SecPolicyCreateBasicX509(),
        anchors: [String]? = ["root"]
    ) throws -> SecTrust {
        var trust: SecTrust?
        #expect(SecTrustCreateWithCertificates(try names.map(certificate) as CFArray, policy, &trust) == errSecSuccess)
        let made = try #require(trust)
        #expect(SecTrustSetVerifyDate(made, date as CFDate) == errSecSuccess)
        if let anchors {
            #expect(SecTrustSetAnchorCertificates(made, try anchors.map(certificate) as CFArray) == errSecSuccess)
        }
        return made
    }
}
