// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Rules about values.
    static let values = [
        SecItemRule(
            "the secret comes back bit by bit",
            "Data of any bytes comes back as it went in, be it no UTF-8, and be it long.",
            otherwise: "a key that is no text is lost",
            source: "Semantics, Attributes of each class, open question 9"
        ) { bench in
            for secret in [Data(0...255), Data([0xFF, 0xFE, 0x00]), Data(repeating: 0xC3, count: 100_000)] {
                let item = SecItemBench.password("of \(secret.count) bytes")
                try bench.add(item, [kSecValueData: secret])
                try bench.expect(secret, in: item, because: "the \(secret.count) bytes that were stored")
            }
        },
        SecItemRule(
            "an empty secret is a secret",
            "Data of no bytes is stored, and comes back as data of no bytes.",
            otherwise: "an empty password is absent",
            source: "Semantics, Result of a copy"
        ) { bench in
            try bench.add(SecItemBench.password(), [kSecValueData: Data()])
            try bench.expect(Data(), in: SecItemBench.password(), because: "data of no bytes")
        },
        SecItemRule(
            "no secret is no data",
            "An item may be stored without data: it is found, and a copy of its data is a success without a result.",
            otherwise: "an item that is a mere mark is refused, or a cast fails",
            source: "Semantics, Result of a copy"
        ) { bench in
            try bench.add(SecItemBench.password())
            let data = try bench.data(SecItemBench.password())
            try bench.expect(data == nil, "no result", got: data, of: SecItemBench.copying(SecItemBench.password()))
        },
        SecItemRule(
            "the secret is data",
            "kSecValueData that is no data is errSecParam (-50), in an add and in an update.",
            otherwise: "code that stores a string works in the test alone",
            source: "Semantics, What each function accepts"
        ) { bench in
            try bench.add(SecItemBench.password(), [kSecValueData: "secret"], gives: errSecParam)
            try bench.add(SecItemBench.password())
            try bench.update(SecItemBench.password(), to: [kSecValueData: "secret"], gives: errSecParam)
        },
        SecItemRule(
            "attributes keep their type",
            "An account stored as data comes back as data, one stored as a string as a string.",
            otherwise: "a cast fails on one of both",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            try bench.add(SecItemBench.password(Data("ada".utf8)))
            let account = try bench.attributes(SecItemBench.password("ada"))[kSecAttrAccount as String]
            try bench.expect(
                account is Data && !(account is String),
                "the account as data",
                got: account,
                of: SecItemBench.copying(SecItemBench.password("ada"))
            )
        },
        SecItemRule(
            "an account is any bytes",
            "Accounts of data that is no UTF-8 are kept as they are: two that differ are two items.",
            otherwise: "items by a binary identifier replace each other in the test alone",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            let (one, other) = (Data([0xFF, 0x41]), Data([0xFE, 0x41]))
            try bench.add(SecItemBench.password(one), SecItemBench.secret)
            try bench.add(SecItemBench.password(other), SecItemBench.otherSecret)
            let query = SecItemBench.password(one)
            try bench.expect(Data("secret".utf8), in: query, because: "the data of this account")
            let account = try bench.attributes(query)[kSecAttrAccount as String]
            try bench.expect(
                account as? Data == one,
                "the account as data",
                got: account,
                of: SecItemBench.copying(query)
            )
        },
        SecItemRule(
            "numerals become numbers",
            "A port given as a string is stored as the number, and found by it.",
            otherwise: "a search by port finds nothing on one of both",
            source: "Semantics, Conversion and comparison of values and Result of a copy"
        ) { bench in
            try bench.add(SecItemBench.internetPassword([kSecAttrPort: "8443"]))
            let query = SecItemBench.internetPassword([kSecAttrPort: 8443])
            let port = try bench.attributes(query)[kSecAttrPort as String]
            try bench.expect(
                (port as? NSNumber)?.intValue == 8443,
                "the number 8443",
                got: port,
                of: SecItemBench.copying(query)
            )
        },
    ]
}
