// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Rules about rejected dictionaries.
    static let validation = [
        SecItemRule(
            "class is required",
            "A dictionary without kSecClass is errSecParam (-50), in every function.",
            otherwise: "a query that lost its class works in the test alone",
            source: "Semantics, Class of a query"
        ) { bench in
            let bare: SecItemBench.Attributes = [kSecAttrAccount: "ada", kSecAttrService: "mail"]
            try bench.copy(bare, gives: errSecParam)
            try bench.delete(bare, gives: errSecParam)
            try bench.update(bare, to: SecItemBench.secret, gives: errSecParam)
            try bench.add(bare, SecItemBench.secret, gives: errSecParam)
        },
        SecItemRule(
            "class is one of Apple's",
            "A class that does not exist is errSecNoSuchClass (-25306).",
            otherwise: "a misspelt class works in the test alone",
            source: "Semantics, Class of a query"
        ) { bench in
            try bench.add([kSecClass: "password", kSecAttrAccount: "ada"], gives: errSecNoSuchClass)
            try bench.copy([kSecClass: "password", kSecAttrAccount: "ada"], gives: errSecNoSuchClass)
        },
        SecItemRule(
            "attributes of the class alone",
            "An attribute that the class does not have, such as a generic password's server, is errSecNoSuchAttr (-25303).",
            otherwise: "a save that a device refuses passes",
            source: "Semantics, Attributes that a class lacks"
        ) { bench in
            let query = SecItemBench.password(more: [kSecAttrServer: "example.com"])
            try bench.add(query, SecItemBench.secret, gives: errSecNoSuchAttr)
            try bench.copy(query, gives: errSecNoSuchAttr)
            try bench.add(SecItemBench.internetPassword([kSecAttrService: "mail"]), gives: errSecNoSuchAttr)
        },
        SecItemRule(
            "null is no value",
            "NSNull as an attribute's value is errSecParam (-50).",
            otherwise: "an absent optional that becomes NSNull works in the test alone",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            try bench.add(SecItemBench.password(NSNull()), SecItemBench.secret, gives: errSecParam)
            try bench.copy(SecItemBench.password(NSNull()), gives: errSecParam)
        },
        SecItemRule(
            "an update takes attributes alone",
            "The new attributes of an update may have neither a class, nor return flags, nor a limit: errSecNoSuchAttr (-25303).",
            otherwise: "an update with the whole add dictionary, which is the usual mistake, works in the test alone",
            source: "Semantics, New attributes of an update"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            for extra: SecItemBench.Attributes in [
                [kSecClass: kSecClassGenericPassword], [kSecReturnData: true], [kSecMatchLimit: kSecMatchLimitOne],
            ] {
                let attributes = extra.merging(SecItemBench.otherSecret) { _, new in new }
                try bench.update(SecItemBench.password(), to: attributes, gives: errSecNoSuchAttr)
            }
            try bench.expect(Data("secret".utf8), in: SecItemBench.password(), because: "what was there before")
        },
        SecItemRule(
            "an update's query returns nothing",
            "A return flag or a limit in the query of an update is errSecParam (-50) on iOS.",
            otherwise: "an update with the query of a copy works in the test alone",
            source: "Semantics, What each function accepts",
            needs: .iOS
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            for extra: SecItemBench.Attributes in [[kSecReturnData: true], [kSecMatchLimit: kSecMatchLimitOne]] {
                let query = SecItemBench.password(more: extra)
                try bench.update(query, to: SecItemBench.otherSecret, gives: errSecParam)
            }
        },
        SecItemRule(
            "a delete has no limit",
            "A limit in a delete is errSecParam (-50) on iOS, and nothing is deleted.",
            otherwise: "a delete with the query of a copy works in the test alone, and the user is not signed out",
            source: "Semantics, What each function accepts",
            needs: .iOS
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            for limit in [kSecMatchLimitOne, kSecMatchLimitAll] {
                try bench.delete(SecItemBench.password(more: [kSecMatchLimit: limit]), gives: errSecParam)
            }
            try bench.copy(SecItemBench.password())
        },
    ]
}
