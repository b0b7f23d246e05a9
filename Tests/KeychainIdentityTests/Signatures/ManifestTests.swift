// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// What manifests may say, and what is refused: signed ones and root-owned ones.
struct ManifestTests {
    private static let key = TeamKey()
    private static let team = TeamIdentifier(firstKey: key.publicKey)

    private func fields() -> [String: JSONValue] {
        [
            "version": .integer(1), "team": .string(Self.team.description),
            "applicationIdentifier": .string(Self.team.prefix + "tool"),
            "accessGroups": .strings([Self.team.prefix + "tool"]),
            "executable": .string(SHA256Value(of: []).description), "libraries": .array([]), "serial": .integer(7),
            "created": .string("2026-11-23T03:00:00Z"), "statements": .array([]),
        ]
    }

    private func manifest(_ fields: [String: JSONValue]) throws -> ProgramManifest {
        try ProgramManifest(SignedDocument(.object(fields), for: .manifest, by: Self.key))
    }

    @Test("the empty file has the SHA-256 of FIPS 180-4")
    func digest() {
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(SHA256Value(of: []).description == digest)
        #expect(SHA256Value(digest) == SHA256Value(of: []))
        #expect(SHA256Value(digest.uppercased()) == nil)
    }

    @Test("a manifest with everything is read, and each member is needed")
    func members() throws {
        #expect(try !manifest(fields()).isJIT)
        #expect(try manifest(fields().merging(["jit": .boolean(true)]) { $1 }).isJIT)
        #expect(try !manifest(fields()).allowsPreload)
        #expect(try manifest(fields().merging(["preload": .boolean(true)]) { $1 }).allowsPreload)
        for name in fields().keys {
            var fields = fields()
            fields[name] = nil
            #expect(throws: IdentityError.self, "\(name)") { try manifest(fields) }
        }
    }

    @Test(
        "values that are refused",
        arguments: [
            ("version", #"2"#), ("version", #""1""#), ("team", #""ABCDE12345""#), ("unknown", #"1"#),
            ("applicationIdentifier", #""com.example.tool""#), ("applicationIdentifier", #""TEAM.""#),
            ("accessGroups", #"["com.example.shared"]"#), ("accessGroups", #"["*"]"#), ("accessGroups", #"["TEAM"]"#),
            ("accessGroups", #"["AAAAAAAAAAAAAAAAAAAAAAAAAA.com.example.shared"]"#), ("accessGroups", #"[1]"#),
            ("accessGroups", #"["TEAM.a","TEAM.a"]"#), ("accessGroups", #"["TEAM.a\u0000"]"#),
            ("accessGroups", #""TEAM.a""#),
            ("executable", #""E3B0""#), ("libraries", #"["x"]"#), ("serial", #"-1"#), ("serial", #"1.5"#),
            ("serial", #"99999999999999999999"#), ("created", #""yesterday""#),
            ("created", #""2026-11-23T03:00:00+01""#),
            ("statements", #"["x"]"#), ("jit", #"1"#), ("jit", #""true""#), ("preload", #"1"#),
        ]
    )
    func values(_ name: String, _ value: String) throws {
        var fields = fields()
        let text = value.replacingOccurrences(of: "TEAM", with: Self.team.description)
        fields[name] = try JSONParser.parse(text.utf8)
        #expect(throws: IdentityError.self) { try manifest(fields) }
    }

    @Test("a manifest names 1,024 groups and 1,024 libraries at most: a daemon keeps them for each connection")
    func limits() throws {
        for (count, isRefused) in [(1_024, false), (1_025, true)] {
            var fields = fields()
            fields["accessGroups"] = .strings((0..<count).map { Self.team.prefix + "\($0)" })
            #expect(((try? manifest(fields)) == nil) == isRefused, "\(count)")
            fields = self.fields()
            fields["libraries"] = .strings((0..<count).map { SHA256Value(of: Array("\($0)".utf8)).description })
            #expect(((try? manifest(fields)) == nil) == isRefused, "\(count)")
        }
    }

    @Test("the groups of a manifest keep their order")
    func order() throws {
        var fields = fields()
        let groups = ["b", "a", "c"].map { Self.team.prefix + $0 }
        fields["accessGroups"] = .strings(groups)
        #expect(try manifest(fields).accessGroups == groups)
    }

    @Test("a root-owned manifest is read")
    func rootOwned() throws {
        let manifest = try RootManifest(
            text: #"""
                {"version": 1, "path": "/usr/bin/tool", "applicationIdentifier": "tool", "accessGroups": ["a", "b"],
                 "exclusiveGroups": ["a"], "ownerRights": true, "preload": true}
                """#.utf8
        )
        #expect(manifest.accessGroups == ["a", "b"])
        #expect(manifest.exclusiveGroups == ["a"])
        #expect(manifest.hasOwnerRights && manifest.allowsPreload && !manifest.isJIT)
        #expect(manifest.executable == nil && manifest.team == nil)
    }

    @Test(
        "root-owned manifests that are refused",
        arguments: [
            #"{"version": 1, "path": "tool", "applicationIdentifier": "tool", "accessGroups": []}"#,
            #"{"version": 1, "path": "/usr/../tool", "applicationIdentifier": "tool", "accessGroups": []}"#,
            #"{"version": 1, "path": "/tool", "applicationIdentifier": "tool", "accessGroups": ["*"]}"#,
            #"{"version": 1, "path": "/tool", "applicationIdentifier": "tool", "accessGroups": ["flatpak/org.example.App"]}"#,
            #"{"version": 1, "path": "/tool", "applicationIdentifier": "tool", "accessGroups": ["AAAAAAAAAAAAAAAAAAAAAAAAAA.x"]}"#,
            #"{"version": 1, "path": "/tool", "applicationIdentifier": "tool", "accessGroups": [], "exclusiveGroups": ["a"]}"#,
            #"{"version": 1, "path": "/tool", "applicationIdentifier": "tool", "accessGroups": [], "ownerRights": 1}"#,
            #"{"version": 1, "path": "/tool", "applicationIdentifier": "tool", "accessGroups": [], "sha256": "x"}"#,
            #"{"version": 1, "path": "/tool", "applicationIdentifier": "tool", "accessGroups": [], "owner": true}"#,
            #"{"version": 2, "path": "/tool", "applicationIdentifier": "tool", "accessGroups": []}"#,
            #"[]"#, "", "{",
        ]
    )
    func refusedRootOwned(_ text: String) {
        #expect(throws: IdentityError.self) { try RootManifest(text: text.utf8) }
    }
}
