// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainServices

/// The groups that follow from a list of entitlements (Semantics, "Access groups").
struct KeychainEntitlementsTests {
    @Test("groups come in the order of their entitlements, each once")
    func order() throws {
        let entitlements = try KeychainEntitlements(
            propertyList: try propertyList([
                "com.apple.security.application-groups": ["group.one", "TEAMID.b", "group.two"],
                "application-identifier": "TEAMID.app",
                "com.apple.application-identifier": "TEAMID.mac",
                "com.apple.developer.associated-application-identifier": ["TEAMID.associated"],
                "keychain-access-groups": ["TEAMID.b", "TEAMID.a", "TEAMID.b"],
                "get-task-allow": true,
            ]),
            prefix: nil
        )
        #expect(
            entitlements.accessGroups == [
                "TEAMID.b", "TEAMID.a", "TEAMID.associated", "TEAMID.app", "TEAMID.mac", "group.one", "group.two",
            ]
        )
    }

    @Test("200,000 groups are read, each once by its bytes", .timeLimit(.minutes(5)))
    func manyGroups() {
        let groups = (0..<200_000).map { "group.\($0)" }
        let found = AccessGroupOrder.groups { key, _ in
            key == "keychain-access-groups" ? groups + groups + ["é", "e\u{301}"] : []
        }
        #expect(found.count == 200_002)
        #expect(found.prefix(groups.count).elementsEqual(groups))
    }

    @Test(
        "the group of hardware tokens comes last",
        arguments: [
            (["com.apple.token"], ["com.apple.token"]),
            (["com.apple.token", "TEAMID.a"], ["TEAMID.a", "TEAMID.app", "com.apple.token"]),
            (["TEAMID.a", "com.apple.token", "TEAMID.b"], ["TEAMID.a", "TEAMID.b", "TEAMID.app", "com.apple.token"]),
        ]
    )
    func tokenGroup(_ groups: [String], _ expected: [String]) throws {
        var list: [String: Any] = ["keychain-access-groups": groups]
        if groups.count > 1 { list["application-identifier"] = "TEAMID.app" }
        #expect(try KeychainEntitlements(propertyList: try propertyList(list), prefix: nil).accessGroups == expected)
    }

    @Test("application groups alone are groups, and no entitlement is no group")
    func applicationGroups() throws {
        let groups = ["com.apple.security.application-groups": ["group.one"]]
        #expect(
            try KeychainEntitlements(propertyList: try propertyList(groups), prefix: nil).accessGroups == ["group.one"]
        )
        #expect(try KeychainEntitlements(propertyList: try propertyList([:]), prefix: nil).accessGroups == [])
    }

    @Test(
        "XML and binary property lists are read alike",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary]
    )
    func formats(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let list = try propertyList(["keychain-access-groups": ["TEAMID.ä", "*"]], format)
        #expect(try KeychainEntitlements(propertyList: list, prefix: nil).accessGroups == ["TEAMID.ä", "*"])
    }

    @Test("a list on which Foundation crashes or hangs is none", arguments: HostilePropertyList.allCases)
    func hostile(_ list: HostilePropertyList) {
        #expect(throws: KeychainEntitlements.Failure.notAPropertyList) {
            try KeychainEntitlements(propertyList: list.data(), prefix: nil)
        }
    }

    @Test(
        "a variable stands for the prefix",
        arguments: [
            ("$(AppIdentifierPrefix)com.example", "TEAMID.", "TEAMID.com.example"),
            ("$(TeamIdentifierPrefix)com.example", "TEAMID.", "TEAMID.com.example"),
            ("$(AppIdentifierPrefix)a.$(AppIdentifierPrefix)b", "T.", "T.a.T.b"),
            ("$(AppIdentifierPrefix)com.example", "", "com.example"),
            ("com.example", nil, "com.example"),
        ] as [(String, String?, String)]
    )
    func prefix(group: String, prefix: String?, expected: String) throws {
        let list = try propertyList(["keychain-access-groups": [group]])
        #expect(try KeychainEntitlements(propertyList: list, prefix: prefix).accessGroups == [expected])
    }

    @Test(
        "a variable that nothing stands for is refused",
        arguments: [
            ("$(AppIdentifierPrefix)com.example", nil),
            ("$(TeamIdentifierPrefix)com.example", nil),
            ("TEAMID.$(CFBundleIdentifier)", "TEAMID."),
            ("$(AppIdentifierPrefix)com.example", "$(AppIdentifierPrefix)"),
        ] as [(String, String?)]
    )
    func unexpanded(_ group: String, _ prefix: String?) throws {
        let list = try propertyList(["keychain-access-groups": ["TEAMID.first", group]])
        #expect(throws: KeychainEntitlements.Failure.unexpanded(group)) {
            try KeychainEntitlements(propertyList: list, prefix: prefix)
        }
    }

    @Test(
        "an entitlement of a wrong type is refused",
        arguments: [
            "keychain-access-groups", "com.apple.developer.associated-application-identifier", "application-identifier",
            "com.apple.application-identifier", "com.apple.security.application-groups",
        ]
    )
    func wrongType(_ key: String) throws {
        let values: [Any] = [1, true, Date(), Data([1]), ["a": "b"], [1, 2], ["a", 1] as [Any], [["a"]]]
        for value in values {
            let list = try propertyList([key: value])
            #expect(throws: KeychainEntitlements.Failure.wrongType(key: key), "\(value)") {
                try KeychainEntitlements(propertyList: list, prefix: nil)
            }
        }
    }

    @Test("an identifier is one group, not a list")
    func identifierList() throws {
        let list = try propertyList(["application-identifier": ["TEAMID.app"]])
        #expect(throws: KeychainEntitlements.Failure.wrongType(key: "application-identifier")) {
            try KeychainEntitlements(propertyList: list, prefix: nil)
        }
    }

    @Test(
        "what is no property list with a dictionary is refused",
        arguments: [
            "", "\0", "<plist", "{", "not a list at all", "<?xml version=\"1.0\"?><plist><array/></plist>", "bplist00",
        ]
    )
    func malformed(_ text: String) {
        #expect(throws: KeychainEntitlements.Failure.notAPropertyList) {
            try KeychainEntitlements(propertyList: Data(text.utf8), prefix: nil)
        }
    }
}

/// The bytes of a property list.
func propertyList(
    _ list: [String: Any],
    _ format: PropertyListSerialization.PropertyListFormat = .xml
) throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
}
