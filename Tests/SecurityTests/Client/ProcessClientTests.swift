// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainServices

/// Which client a process is, by its executable and its environment.
struct ProcessClientTests {
    @Test("without entitlements the groups are the program's own and the common one")
    func derived() throws {
        let folder = try TemporaryFolder()
        let client = ProcessClient.make(executable: folder.path(of: "a program"), bundleIdentifier: nil) { _ in nil }
        #expect(client.client.accessGroups == ["swift-keychain.program.a program", "swift-keychain.common"])
        #expect(client.entitlements.isEmpty)
        #expect(client.client.profile == .iOS)
    }

    @Test(
        "the bundle identifier, with the prefix if there is one, comes before the group by name",
        arguments: [
            (identifier: "com.example.tool", prefix: nil, first: "com.example.tool"),
            (identifier: "com.example.tool", prefix: "TEAMID.", first: "TEAMID.com.example.tool"),
            (identifier: "", prefix: "TEAMID.", first: nil),
        ] as [(identifier: String, prefix: String?, first: String?)]
    )
    func identified(identifier: String, prefix: String?, first: String?) throws {
        let folder = try TemporaryFolder()
        let client = ProcessClient.make(executable: folder.path(of: "tool"), bundleIdentifier: identifier) {
            $0 == "SWIFT_KEYCHAIN_APP_IDENTIFIER_PREFIX" ? prefix : nil
        }
        let derived = ["swift-keychain.program.tool", "swift-keychain.common"]
        #expect(client.client.accessGroups == (first.map { [$0] } ?? []) + derived)
    }

    @Test("the identity of a program's note comes before the group by name, which its items move from")
    func noted() throws {
        let folder = try TemporaryFolder()
        let tool = folder.path(of: "tool-1.1")
        let note = ProgramIdentity.Note.identity(try #require(ProgramIdentity("com.example.tool".utf8)))
        let client = ProcessClient.make(executable: tool, bundleIdentifier: nil, identity: note) { _ in nil }
        #expect(
            client.client.accessGroups
                == ["com.example.tool", "swift-keychain.program.tool-1.1", "swift-keychain.common"]
        )
        #expect(client.formerGroup?.former == "swift-keychain.program.tool-1.1")
        #expect(client.formerGroup?.group == "com.example.tool")
        let malformed = ProcessClient.make(executable: tool, bundleIdentifier: nil, identity: .malformed) { _ in nil }
        #expect(malformed.client.accessGroups == ["swift-keychain.program.tool-1.1", "swift-keychain.common"])
        #expect(malformed.formerGroup == nil)

        let list = try propertyList(["keychain-access-groups": ["TEAMID.beside"]])
        try list.write(to: URL(fileURLWithPath: "\(tool).entitlements"))
        let entitled = ProcessClient.make(executable: tool, bundleIdentifier: nil, identity: note) { _ in nil }
        #expect(entitled.client.accessGroups == ["TEAMID.beside"])
        #expect(entitled.formerGroup == nil)
    }

    @Test(
        "an identity is a name in reverse DNS notation of at most 255 bytes",
        arguments: [
            ("com.example.tool", true), ("a.b", true), ("com.example-1.Tool2", true),
            ("com." + String(repeating: "a", count: 251), true), ("com." + String(repeating: "a", count: 252), false),
            ("", false), ("tool", false), ("com..tool", false), (".tool", false), ("com.", false),
            ("com.ex ample", false), ("com.exämple", false), ("com/example.tool", false), ("com.example\u{0}", false),
            ("*.x", false),
        ]
    )
    func identities(name: String, isValid: Bool) {
        #expect((ProgramIdentity(name.utf8)?.name == name) == isValid)
    }

    @Test(
        "the environment chooses the front end; what it does not know is iOS",
        arguments: [(nil, .iOS), ("iOS", .iOS), ("macOS", .macOS), ("tvOS", .iOS)] as [(String?, Profile)]
    )
    func platform(name: String?, profile: Profile) throws {
        let folder = try TemporaryFolder()
        let client = ProcessClient.make(executable: folder.path(of: "tool"), bundleIdentifier: nil) {
            $0 == "SWIFT_KEYCHAIN_PLATFORM" ? name : nil
        }
        #expect(client.client.profile == profile)
    }

    @Test("entitlements come before the bundle identifier")
    func entitledAndIdentified() throws {
        let folder = try TemporaryFolder()
        let list = try propertyList(["keychain-access-groups": ["TEAMID.beside"]])
        try list.write(to: URL(fileURLWithPath: folder.path(of: "tool.entitlements")))
        let tool = folder.path(of: "tool")
        let client = ProcessClient.make(executable: tool, bundleIdentifier: "com.example") { _ in nil }
        #expect(client.client.accessGroups == ["TEAMID.beside"])
    }

    @Test("a list beside the executable is read")
    func besideExecutable() throws {
        let folder = try TemporaryFolder()
        let list = try propertyList(["keychain-access-groups": ["TEAMID.beside"]])
        try list.write(to: URL(fileURLWithPath: folder.path(of: "program.entitlements")))
        let client = ProcessClient.make(executable: folder.path(of: "program"), bundleIdentifier: nil) { _ in nil }
        #expect(client.client.accessGroups == ["TEAMID.beside"])
        #expect(client.entitlements == list)
        let unlisted = folder.path(of: "other")
        let other = ProcessClient.make(executable: unlisted, bundleIdentifier: nil) { _ in nil }
        #expect(other.client.accessGroups == ["swift-keychain.program.other", "swift-keychain.common"])
    }

    /// A manifest as a team signs it, of which only the payload is looked at.
    private func manifest(_ payload: String) -> Data {
        let text = Data(payload.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        return Data("e30.\(text).c2ln\n".utf8)
    }

    @Test("the groups of a manifest beside the executable come first, and its team is the prefix of entitlements")
    func manifestBeside() throws {
        let folder = try TemporaryFolder()
        let tool = folder.path(of: "tool")
        let groups = #"["TEAM.shared", "TEAM.tool", "OTHER.tool", 1]"#
        try manifest(#"{"team": "TEAM", "accessGroups": \#(groups), "created": "ÿþ~~?"}"#)
            .write(to: URL(fileURLWithPath: "\(tool).keychain-manifest"))
        let derived = ProcessClient.make(executable: tool, bundleIdentifier: nil) { _ in nil }
        let own = ["TEAM.shared", "TEAM.tool"]
        #expect(derived.client.accessGroups == own + ["swift-keychain.program.tool", "swift-keychain.common"])
        let list = try propertyList(["keychain-access-groups": ["$(AppIdentifierPrefix)tool", "group.more"]])
        try list.write(to: URL(fileURLWithPath: "\(tool).entitlements"))
        let entitled = ProcessClient.make(executable: tool, bundleIdentifier: nil) { _ in nil }
        #expect(entitled.client.accessGroups == own + ["group.more"])
    }

    @Test("what any program may have stored under the name of a file is not moved into a group of its manifest")
    func manifestAndNote() throws {
        let folder = try TemporaryFolder()
        let tool = folder.path(of: "tool")
        try manifest(#"{"team": "TEAM", "accessGroups": ["TEAM.com.example.tool"]}"#)
            .write(to: URL(fileURLWithPath: "\(tool).keychain-manifest"))
        let note = ProgramIdentity.Note.identity(try #require(ProgramIdentity("com.example.tool".utf8)))
        let client = ProcessClient.make(executable: tool, bundleIdentifier: nil, identity: note) { _ in nil }
        #expect(client.client.accessGroups.first == "TEAM.com.example.tool")
        #expect(client.formerGroup == nil)
    }

    @Test("a file that is no manifest changes nothing", arguments: ["", "x", "a.b.c", "e30.!!.c2ln", "e30.e30.c2ln"])
    func noManifest(_ text: String) throws {
        let folder = try TemporaryFolder()
        let tool = folder.path(of: "tool")
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(tool).keychain-manifest"))
        let client = ProcessClient.make(executable: tool, bundleIdentifier: nil) { _ in nil }
        #expect(client.client.accessGroups == ["swift-keychain.program.tool", "swift-keychain.common"])
    }

    @Test("a manifest that is no regular file is not waited for")
    func manifestPipe() throws {
        let folder = try TemporaryFolder()
        let tool = folder.path(of: "tool")
        #expect(mkfifo("\(tool).keychain-manifest", 0o600) == 0)
        let client = ProcessClient.make(executable: tool, bundleIdentifier: nil) { _ in nil }
        #expect(client.client.accessGroups == ["swift-keychain.program.tool", "swift-keychain.common"])
    }

    @Test("a list that the environment names comes before the one beside the executable, with its prefix")
    func named() throws {
        let folder = try TemporaryFolder()
        let beside = try propertyList(["keychain-access-groups": ["TEAMID.beside"]])
        try beside.write(to: URL(fileURLWithPath: folder.path(of: "program.entitlements")))
        let named = try propertyList(["keychain-access-groups": ["$(AppIdentifierPrefix)named"]])
        try named.write(to: URL(fileURLWithPath: folder.path(of: "named.plist")))
        let environment = [
            "SWIFT_KEYCHAIN_ENTITLEMENTS": folder.path(of: "named.plist"),
            "SWIFT_KEYCHAIN_APP_IDENTIFIER_PREFIX": "TEAMID.",
        ]
        let client = ProcessClient.make(executable: folder.path(of: "program"), bundleIdentifier: nil) {
            environment[$0]
        }
        #expect(client.client.accessGroups == ["TEAMID.named"])
        let withoutPrefix = ProcessClient.make(executable: folder.path(of: "program"), bundleIdentifier: nil) {
            $0 == "SWIFT_KEYCHAIN_ENTITLEMENTS" ? environment[$0] : nil
        }
        #expect(withoutPrefix.client.accessGroups == [])
    }

    @Test(
        "a list that cannot be used is no group at all, not the derived ones",
        arguments: ["missing", "malformed", "folder"]
    )
    func unusable(_ name: String) throws {
        let folder = try TemporaryFolder()
        try Data("malformed".utf8).write(to: URL(fileURLWithPath: folder.path(of: "malformed")))
        try FileManager.default.createDirectory(atPath: folder.path(of: "folder"), withIntermediateDirectories: false)
        let client = ProcessClient.make(executable: folder.path(of: "program"), bundleIdentifier: nil) {
            $0 == "SWIFT_KEYCHAIN_ENTITLEMENTS" ? folder.path(of: name) : nil
        }
        #expect(client.client.accessGroups == [])
        #expect(client.entitlements.isEmpty)
    }

    @Test("a client without groups gets errSecMissingEntitlement from every function")
    func withoutGroups() throws {
        let context = KeychainContext(backend: try TemporaryKeychain(), client: .init(accessGroups: []))
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword]
        let statuses = KeychainContext.$current.withValue(context) {
            [Items.add(query), Items.copy(query).status, Items.update(query, [:]), Items.delete(query)]
        }
        #expect(statuses == Array(repeating: errSecMissingEntitlement, count: 4))
    }
}
