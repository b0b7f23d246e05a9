// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainCore
import Testing

@testable import KeychainMacFrontEnd

/// What the data protection keychain gets in the place of kSecMatchIssuers.
struct AuthoritySearchTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The certificates of the files; `nil` where they cannot be searched.
        var inFiles: [String]?
        var issuers = ["root"]
        /// Whose subjects take the place of the list; `nil` where it stays.
        var expected: [String]?
    }

    static let rows: [Row] = [
        Row(
            testDescription: "the subjects of authorities below the issuer, itself among them",
            inFiles: ["server", "root", "issuer"],
            expected: ["root", "issuer"]
        ),
        Row(
            testDescription: "the caller's issuer is lost unless it is a subject",
            inFiles: ["issuer"],
            expected: ["issuer"]
        ),
        Row(testDescription: "without an authority the list stays", inFiles: ["server", "no authority"]),
        Row(testDescription: "a key that may not sign certificates is no authority's", inFiles: ["no signing key"]),
        Row(testDescription: "an authority below another issuer does not count", inFiles: ["other root"]),
        Row(testDescription: "nothing is found", inFiles: []),
        Row(testDescription: "the files cannot be searched", inFiles: nil),
    ]

    private static func certificate(_ name: String) throws -> Certificate {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../KeychainTrustTests/Cases/certificates.json").standardizedFileURL
        let texts = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
        return try Certificate(der: Array(#require(texts[name].flatMap { Data(base64Encoded: $0) })))
    }

    private static func subjects(_ names: [String]) throws -> PropertyValue {
        .array(try names.map { .data(SecretBytes(try certificate($0).subjectSequence)) })
    }

    private static func files(_ names: [String]?) throws -> StandIn {
        guard let names else { return StandIn(usual: .failure(.interactionNotAllowed)) }
        guard !names.isEmpty else { return StandIn(usual: .failure(.itemNotFound)) }
        let values = try names.map { ResultValue.data(SecretBytes(try certificate($0).der)) }
        return StandIn([.success(.list(values))], usual: .failure(.parameter))
    }

    @Test(
        "Conversion (c): authorities of the files take the place of the issuers, with the flag, too",
        arguments: rows,
        [true, false]
    )
    func issuers(_ row: Row, isFlagged: Bool) throws {
        let (dataProtection, files) = (StandIn(), try Self.files(row.inFiles))
        let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
        var query: PropertyDictionary = ["class": .string("idnt"), "m_Issuers": try Self.subjects(row.issuers)]
        if isFlagged { query["nleg"] = .boolean(true) }
        _ = frontEnd.outcome(.copyMatching(query))
        let expected = try Self.subjects(row.expected ?? row.issuers)
        #expect(dataProtection.operations.map { $0.mainDictionary["m_Issuers"] } == [expected])
        // The search comes first, and asks nobody for a password.
        let search = try #require(files.operations.first).mainDictionary
        #expect(search["class"] == .string("cert"))
        #expect(search["u_AuthUI"] == .string("u_AuthUIF"))
        // What the files are asked themselves stays as it is.
        let asked = files.operations.dropFirst().map { $0.mainDictionary["m_Issuers"] }
        #expect(asked == (isFlagged ? [] : [query["m_Issuers"]]))
    }

    @Test("Where the match list goes, or is no list, nothing is searched")
    func withoutSearch() {
        let (dataProtection, files) = (StandIn(), StandIn())
        let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
        let issuers: PropertyValue = .array([.data(SecretBytes([0x30, 0]))])
        let query: PropertyDictionary = ["class": .string("cert"), "m_Issuers": issuers, "nleg": .boolean(true)]
        _ = frontEnd.outcome(.delete(query))
        _ = frontEnd.outcome(.update(query, attributes: ["labl": .string("x")]))
        var other = query
        other["m_Issuers"] = .string("x")
        _ = frontEnd.outcome(.copyMatching(other))
        other["m_Issuers"] = .array([])
        _ = frontEnd.outcome(.copyMatching(other))
        #expect(files.operations.isEmpty)
        #expect(dataProtection.operations.last?.mainDictionary["m_Issuers"] == .array([]))
        #expect(dataProtection.operations.first?.mainDictionary["m_Issuers"] == nil)
    }
}
