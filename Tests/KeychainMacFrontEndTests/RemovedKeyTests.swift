// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainMacFrontEnd

/// What each keychain gets of a dictionary.
struct RemovedKeyTests {
    private static let common: Set<String> = ["nleg", "u_Keychain", "acls", "m_SearchList", "mdat"]
    private static let match: Set<String> = [
        "m_Policy", "m_ItemList", "m_SearchList", "m_Issuers", "m_EmailAddressIfPresent", "m_SubjectContains",
        "m_CaseInsensitive", "m_TrustedOnly", "m_ValidOnDate", "m_Limit", "m_LimitOne", "m_LimitAll",
    ]
    private static let returns: Set<String> = ["r_Attributes", "r_Data", "r_PersistentRef", "r_Ref"]
    private static let ofFiles: Set<String> = ["nleg", "pdmn", "accc", "agrp", "sync", "tomb"]
    private static let all =
        common.union(match).union(returns).union(ofFiles)
        .union(["v_Data", "class", "acct", "cdat", "m_SubjectStartsWith", "m_HostOrSubdomainOfHost", "m_Unknown"])

    private static let functions: [ItemFunction] = ItemFunction.allCases

    private static func operation(
        _ function: ItemFunction,
        _ dictionary: PropertyDictionary
    ) -> KeychainRequest.Operation {
        switch function {
        case .add: .add(dictionary)
        case .copyMatching: .copyMatching(dictionary)
        case .update: .update(dictionary, attributes: dictionary)
        case .delete: .delete(dictionary)
        }
    }

    private static let client = Client(accessGroups: ["group"])

    private static var full: PropertyDictionary { PropertyDictionary(Dictionary(all.map { ($0, .null) }) { $1 }) }

    @Test("The data protection keychain gets what the tables leave", arguments: functions)
    func dataProtection(_ function: ItemFunction) {
        let removed =
            switch function {
            case .add: Self.common.union(Self.match)
            case .copyMatching: Self.common.union(["v_Data"])
            case .update, .delete: Self.common.union(Self.match).union(Self.returns).union(["v_Data"])
            }
        let got = FrontEndKeys.forDataProtection(Self.operation(function, Self.full), of: Self.client)
        #expect(Set(got.mainDictionary.entries.keys) == Self.all.subtracting(removed))
        if case .update(_, let attributes) = got { #expect(attributes == Self.full) }
    }

    @Test("The file-based keychains get what the tables leave", arguments: functions)
    func files(_ function: ItemFunction) {
        let removed =
            switch function {
            case .add: Self.ofFiles
            case .copyMatching: Self.ofFiles.union(["acls", "v_Data"])
            case .update, .delete: Self.ofFiles.union(["acls", "v_Data"]).union(Self.returns)
            }
        let got = FrontEndKeys.forFiles(Self.operation(function, Self.full))
        #expect(Set(got.mainDictionary.entries.keys) == Self.all.subtracting(removed))
        if case .update(_, let attributes) = got { #expect(attributes == Self.full) }
    }

    @Test("A recorded reference takes the place of the object, and synchronizability goes", arguments: functions)
    func recordedReference(_ function: ItemFunction) {
        let bytes = SecretBytes(Array("genp0123456789abcdef".utf8))
        let item = KeychainItemReference(
            keychain: "",
            itemClass: .genericPassword,
            identifier: .zero,
            dataProtectionReference: bytes
        )
        let got = FrontEndKeys.forDataProtection(
            Self.operation(function, ["v_Ref": .reference(.keychainItem(item)), "sync": .string("syna")]),
            of: Self.client
        )
        #expect(got.mainDictionary == ["v_PersistentRef": .data(bytes)])
    }

    @Test("An object without a recorded reference stays, and so does synchronizability")
    func unrecordedReference() {
        let item = KeychainItemReference(keychain: "/k", itemClass: .genericPassword, identifier: .zero)
        let query: PropertyDictionary = ["v_Ref": .reference(.keychainItem(item)), "sync": .string("syna")]
        #expect(FrontEndKeys.forDataProtection(query, .copyMatching) == query)
    }

    struct AccountRow: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var groups = ["group", "InternetAccounts"]
        var function = ItemFunction.add
        var added: PropertyDictionary = [:]
        var expected: PropertyValue?
    }

    private static let access = PropertyValue.access(ItemAccess(descriptor: "d", trustedApplications: nil))

    static let accountRows: [AccountRow] = [
        AccountRow(
            testDescription: "an add with an access object is in the group of accounts",
            added: ["acls": access],
            expected: .string("appleaccount")
        ),
        AccountRow(
            testDescription: "of a web form it is in that of the network",
            added: ["acls": access, "atyp": .string("form")],
            expected: .string("com.apple.cfnetwork")
        ),
        AccountRow(
            testDescription: "another type of authentication is none of a web form",
            added: ["acls": access, "atyp": .string("dflt")],
            expected: .string("appleaccount")
        ),
        AccountRow(testDescription: "without an access object nothing changes"),
        AccountRow(
            testDescription: "a group that was given stays",
            added: ["acls": access, "agrp": .string("group")],
            expected: .string("group")
        ),
        AccountRow(
            testDescription: "another program's add stays",
            groups: ["group"],
            added: ["acls": access]
        ),
        AccountRow(testDescription: "a copy stays", function: .copyMatching, added: ["acls": access]),
        AccountRow(testDescription: "an update stays", function: .update, added: ["acls": access]),
        AccountRow(testDescription: "a delete stays", function: .delete, added: ["acls": access]),
    ]

    @Test("Programs of the application group InternetAccounts add to groups of their own", arguments: accountRows)
    func internetAccounts(_ row: AccountRow) {
        let query: PropertyDictionary = ["class": .string("inet"), "nleg": .boolean(true)]
        let dictionary = PropertyDictionary(
            query.entries.dictionary.merging(row.added.entries.dictionary) { $1 }
        )
        let client = Client(accessGroups: row.groups)
        let got = FrontEndKeys.forDataProtection(Self.operation(row.function, dictionary), of: client)
        #expect(got.mainDictionary["agrp"] == row.expected)
        #expect(got.mainDictionary["acls"] == nil)
        let files = FrontEndKeys.forFiles(Self.operation(row.function, dictionary))
        #expect(files.mainDictionary["agrp"] == nil)
    }
}
