// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainCore
import Testing

@testable import KeychainTrust

/// The certificates of the cases, and answers about them, by name; made by `Cases/make-certificates.py`.
enum Samples {
    static let all = load("certificates")

    /// Certificates of which each has issued the next: `0` is the root.
    static let longChain = load("long-chain")

    static func bytes(_ name: String) throws -> [UInt8] { try #require(all[name], "no certificate \(name)") }

    static func certificate(_ name: String) throws -> Certificate { try Certificate(der: bytes(name)) }

    static func file(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Cases/\(name)")
    }

    /// The start of a day, as year, month and day.
    static func date(_ text: String) throws -> Timestamp {
        let date = try Date(text, strategy: .iso8601.year().month().day())
        return Timestamp(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    }

    /// A request for certificates, with given anchors only, in 2030.
    static func request(
        _ names: [String],
        _ policies: [CertificatePolicy] = [.basicX509],
        anchors: [String] = ["root"]
    ) throws -> TrustRequest {
        var request = TrustRequest(
            certificates: try names.map(bytes),
            policies: policies,
            date: try date("2030-01-01")
        )
        request.anchors = try anchors.map(bytes)
        request.usesSystemAnchors = false
        return request
    }

    private static func load(_ name: String) -> [String: [UInt8]] {
        let texts = (try? Data(contentsOf: file("\(name).json"))).flatMap {
            try? JSONDecoder().decode([String: String].self, from: $0)
        }
        return (texts ?? [:]).compactMapValues { Data(base64Encoded: $0).map { Array($0) } }
    }
}

extension CertificatePolicy {
    /// A policy by its name in a case, with the name that it asks for behind a colon.
    init(named text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts.count == 2 ? parts[1] : nil
        switch parts[0] {
        case "basic": self = .basicX509
        case "tls": self = .tls(isServer: true, host: name)
        case "client": self = .tls(isServer: false, host: name)
        case "revocation": self = .revocation(try #require(name.flatMap { UInt64($0) }))
        default: self = .purpose(try #require(Purpose(rawValue: parts[0])), isServer: true, name: name)
        }
    }
}
