// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainFrontEnd

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

    private static var full: PropertyDictionary { PropertyDictionary(Dictionary(all.map { ($0, .null) }) { $1 }) }

    @Test("The data protection keychain gets what the tables leave", arguments: functions)
    func dataProtection(_ function: ItemFunction) {
        let removed =
            switch function {
            case .add: Self.common.union(Self.match)
            case .copyMatching: Self.common.union(["v_Data"])
            case .update, .delete: Self.common.union(Self.match).union(Self.returns).union(["v_Data"])
            }
        let got = FrontEndKeys.forDataProtection(Self.operation(function, Self.full))
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
            Self.operation(function, ["v_Ref": .reference(.keychainItem(item)), "sync": .string("syna")])
        )
        #expect(got.mainDictionary == ["v_PersistentRef": .data(bytes)])
    }

    @Test("An object without a recorded reference stays, and so does synchronizability")
    func unrecordedReference() {
        let item = KeychainItemReference(keychain: "/k", itemClass: .genericPassword, identifier: .zero)
        let query: PropertyDictionary = ["v_Ref": .reference(.keychainItem(item)), "sync": .string("syna")]
        #expect(FrontEndKeys.forDataProtection(query, .copyMatching) == query)
    }
}
