// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// The dictionary keys that the engine looks for are the public constants.
struct PropertyKeyTests {
    @Test(
        "a property key is the constant of its name",
        arguments: [
            ("kSecClass", PropertyKey.itemClass),
            ("kSecReturnAttributes", PropertyKey.returnAttributes),
            ("kSecReturnData", PropertyKey.returnData),
            ("kSecReturnPersistentRef", PropertyKey.returnPersistentReference),
            ("kSecReturnRef", PropertyKey.returnReference),
            ("kSecValueData", PropertyKey.valueData),
            ("kSecValuePersistentRef", PropertyKey.valuePersistentReference),
            ("kSecValueRef", PropertyKey.valueReference),
            ("kSecMatchCaseInsensitive", PropertyKey.matchCaseInsensitive),
            ("kSecMatchEmailAddressIfPresent", PropertyKey.matchEmailAddressIfPresent),
            ("kSecMatchHostOrSubdomainOfHost", PropertyKey.matchHostOrSubdomainOfHost),
            ("kSecMatchIssuers", PropertyKey.matchIssuers),
            ("kSecMatchItemList", PropertyKey.matchItemList),
            ("kSecMatchLimit", PropertyKey.matchLimit),
            ("kSecMatchLimitAll", PropertyKey.matchLimitAll),
            ("kSecMatchLimitOne", PropertyKey.matchLimitOne),
            ("kSecMatchPolicy", PropertyKey.matchPolicy),
            ("kSecMatchSearchList", PropertyKey.matchSearchList),
            ("kSecMatchSubjectContains", PropertyKey.matchSubjectContains),
            ("kSecMatchTrustedOnly", PropertyKey.matchTrustedOnly),
            ("kSecMatchValidOnDate", PropertyKey.matchValidOnDate),
            ("kSecUseAuthenticationContext", PropertyKey.useAuthenticationContext),
            ("kSecUseAuthenticationUI", PropertyKey.useAuthenticationUI),
            ("kSecUseAuthenticationUIAllow", PropertyKey.useAuthenticationUIAllow),
            ("kSecUseAuthenticationUIFail", PropertyKey.useAuthenticationUIFail),
            ("kSecUseAuthenticationUISkip", PropertyKey.useAuthenticationUISkip),
            ("kSecUseItemList", PropertyKey.useItemList),
            ("kSecUseKeychain", PropertyKey.useKeychain),
            ("kSecUseNoAuthenticationUI", PropertyKey.useNoAuthenticationUI),
            ("kSecUseOperationPrompt", PropertyKey.useOperationPrompt),
            ("kSecUseDataProtectionKeychain", PropertyKey.useDataProtectionKeychain),
            ("kSecAttrSynchronizableAny", PropertyKey.synchronizableAny),
            ("kSecAttrAccessGroupToken", PropertyKey.accessGroupToken),
        ]
    )
    func key(_ constant: String, _ key: String) {
        #expect(ConstantTable.value(named: constant) == key)
    }

    @Test(
        "an attribute name is the constant of its name",
        arguments: [
            ("kSecAttrAccessGroup", AttributeName.accessGroup),
            ("kSecAttrAccessible", .accessible),
            ("kSecAttrAccessControl", .accessControl),
            ("kSecAttrAccount", .account),
            ("kSecAttrCreationDate", .creationDate),
            ("kSecAttrModificationDate", .modificationDate),
            ("kSecAttrIssuer", .issuer),
            ("kSecAttrPublicKeyHash", .publicKeyHash),
            ("kSecAttrServer", .server),
            ("kSecAttrService", .service),
            ("kSecAttrSynchronizable", .synchronizable),
            ("kSecAttrTokenID", .tokenID),
        ]
    )
    func attribute(_ constant: String, _ name: AttributeName) {
        #expect(ConstantTable.value(named: constant) == name.description)
    }

    @Test("the item classes and the accessibility levels are the public constants")
    func rawValues() {
        let classes = Set(ConstantTable.rows(in: .itemClass).map(\.value)).subtracting(["class"])
        #expect(classes == Set(ItemClass.allCases.map(\.rawValue)))
        let levels = Set(ConstantTable.rows(in: .accessibility).map(\.value))
        // "f", until reboot, is private.
        #expect(levels.union(["f"]) == Set(Accessibility.allCases.map(\.rawValue)))
    }

    @Test("a name survives the way to its code and back", arguments: ["acct", "UUID", "r_Da", "    ", "0000", "~~~~"])
    func attributeNameCode(_ text: String) throws {
        let name = try #require(AttributeName(text))
        #expect(name.description == text)
        #expect(AttributeName(code: name.code) == name)
    }

    @Test("what is not four ASCII characters is no name", arguments: ["", "acc", "acct ", "café", "🔑", "a\u{301}b"])
    func noAttributeName(_ text: String) {
        #expect(AttributeName(text) == nil)
    }
}
