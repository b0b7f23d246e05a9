// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Rules about what distinguishes two items.
    static let keys = [
        SecItemRule(
            "account makes an item",
            "Two generic passwords of one service that differ in the account are two items.",
            otherwise: "a second user who signs in replaces the first one's password",
            source: "Semantics, Attributes of each class; Apple: errSecDuplicateItem"
        ) { bench in
            try bench.add(SecItemBench.password("ada"), SecItemBench.secret)
            try bench.add(SecItemBench.password("bob"), SecItemBench.otherSecret)
            try bench.expect(
                Data("secret".utf8),
                in: SecItemBench.password("ada"),
                because: "the data of this account"
            )
        },
        SecItemRule(
            "service makes an item",
            "Two generic passwords of one account that differ in the service are two items.",
            otherwise: "tests of two features that use one account name pass together and fail on a device, or reverse",
            source: "Semantics, Attributes of each class"
        ) { bench in
            try bench.add(SecItemBench.password(at: "mail"), SecItemBench.secret)
            try bench.add(SecItemBench.password(at: "chat"), SecItemBench.otherSecret)
            try bench.expect(
                Data("secret".utf8),
                in: SecItemBench.password(at: "mail"),
                because: "the data of this service"
            )
        },
        SecItemRule(
            "key without separators",
            "The attributes of the key are compared one by one: service ab with account c is not service a with account bc.",
            otherwise: "a key that is glued together lets two items meet that have nothing in common",
            source: "Semantics, Attributes of each class"
        ) { bench in
            for (one, other) in NamePair.thatMeetWhenGlued {
                let item = SecItemBench.password(one.account, at: one.service)
                try bench.add(item, SecItemBench.secret)
                try bench.add(SecItemBench.password(other.account, at: other.service), SecItemBench.otherSecret)
                try bench.expect(Data("secret".utf8), in: item, because: "the data of this service and account")
            }
        },
        SecItemRule(
            "class makes an item",
            "A generic and an internet password with the same account and label are two items.",
            otherwise: "what is deleted or replaced in one class goes in the other",
            source: "Semantics, Classes and attributes"
        ) { bench in
            try bench.add([kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada"], SecItemBench.secret)
            try bench.add([kSecClass: kSecClassInternetPassword, kSecAttrAccount: "ada"], SecItemBench.otherSecret)
            try bench.delete([kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada"])
            try bench.expect(
                Data("another".utf8),
                in: [kSecClass: kSecClassInternetPassword, kSecAttrAccount: "ada"],
                because: "the data of the other class"
            )
        },
        SecItemRule(
            "internet passwords by server, port, protocol and path",
            "An internet password's key has the server, the port, the protocol, the path, the account, the security domain and the authentication type.",
            otherwise: "passwords for two ports or paths of one server replace each other",
            source: "Semantics, Attributes of each class"
        ) { bench in
            try bench.add(SecItemBench.internetPassword(), SecItemBench.secret)
            for other: SecItemBench.Attributes in [
                [kSecAttrServer: "example.org"], [kSecAttrPort: 8443], [kSecAttrProtocol: kSecAttrProtocolHTTP],
                [kSecAttrPath: "/admin"], [kSecAttrAccount: "bob"], [kSecAttrSecurityDomain: "realm"],
                [kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTTPBasic],
            ] {
                try bench.add(SecItemBench.internetPassword(other), SecItemBench.secret)
            }
            try bench.add(SecItemBench.internetPassword(), SecItemBench.secret, gives: errSecDuplicateItem)
        },
        SecItemRule(
            "case counts",
            "Accounts and services are compared with their case.",
            otherwise: "a login that a test finds is not found on a device",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            try bench.add(SecItemBench.password("ada"), SecItemBench.secret)
            try bench.copy(SecItemBench.password("Ada"), gives: errSecItemNotFound)
            try bench.copy(SecItemBench.password("ada", at: "Mail"), gives: errSecItemNotFound)
            try bench.add(SecItemBench.password("Ada"), SecItemBench.otherSecret)
        },
        SecItemRule(
            "bytes count, not characters",
            "Strings are compared by their UTF-8 bytes: an é of one code point is not an é of two, though Swift calls them equal.",
            otherwise: "an account that was typed on another keyboard is found in the test, and not on a device",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            try bench.add(SecItemBench.password("caf\u{E9}"), SecItemBench.secret)
            try bench.copy(SecItemBench.password("cafe\u{301}"), gives: errSecItemNotFound)
            try bench.add(SecItemBench.password("cafe\u{301}"), SecItemBench.otherSecret)
        },
        SecItemRule(
            "text and data are the same key",
            "An account given as a string and the same bytes given as data are one key, for searches and for uniqueness.",
            otherwise: "code that stores with a string and asks with data works in one of test and device only",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            try bench.add(SecItemBench.password("ada"), SecItemBench.secret)
            let asData = SecItemBench.password(Data("ada".utf8))
            try bench.expect(Data("secret".utf8), in: asData, because: "the data, by the account's bytes")
            try bench.add(asData, SecItemBench.otherSecret, gives: errSecDuplicateItem)
        },
        SecItemRule(
            "an absent key attribute is empty",
            "An item that is added without a service has the service \"\", and is found by it; an absent label is not the label \"\".",
            otherwise: "an item without a service is a second one beside that of the empty service",
            source: "Semantics, Conversion and comparison of values and Attributes of each class"
        ) { bench in
            let bare: SecItemBench.Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada"]
            try bench.add(bare, SecItemBench.secret)
            try bench.copy(SecItemBench.password(at: ""))
            try bench.add(SecItemBench.password(at: ""), SecItemBench.secret, gives: errSecDuplicateItem)
            try bench.copy(bare, [kSecAttrLabel: ""], gives: errSecItemNotFound)
        },
    ]
}
