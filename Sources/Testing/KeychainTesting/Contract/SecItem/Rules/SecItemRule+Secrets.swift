// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// When results include the secret.
    static let secrets = [
        SecItemRule(
            "the secret only when asked",
            "A copy or an add with kSecReturnAttributes returns the attributes as they were stored, without the secret: of one or all, of every class, and with a kSecReturnData that is false.",
            otherwise: "code that forgets kSecReturnData has its password in the test, and none on a device",
            source: "Semantics, Result of a copy and Result of an add"
        ) { bench in
            for item in [SecItemBench.password(), SecItemBench.internetPassword()] {
                let asked = item.merging([kSecReturnAttributes: true]) { $1 }
                try bench.expectNoSecret(
                    try bench.add(asked, SecItemBench.secret),
                    of: "SecItemAdd with kSecReturnAttributes"
                )
                try bench.expectNoSecret(try bench.copy(asked), of: SecItemBench.copying(asked))
                let unasked = asked.merging([kSecReturnData: false]) { $1 }
                try bench.expectNoSecret(try bench.copy(unasked), of: SecItemBench.copying(unasked))
                let all = asked.merging([kSecMatchLimit: kSecMatchLimitAll]) { $1 }
                let list = try bench.copy(all) as? [Any]
                try bench.expectNoSecret(list?.first, of: SecItemBench.copying(all))
            }
        },
        SecItemRule(
            "a flag of false is none",
            "A return flag that is false is as good as none: kSecReturnData with a kSecReturnAttributes of false returns Data.",
            otherwise: "a cast fails on one of both",
            source: "Semantics, Result of a copy"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            let query = SecItemBench.password(more: [kSecReturnAttributes: false])
            try bench.expect(Data("secret".utf8), in: query, because: "the secret as Data")
            let result = try bench.copy(query, [kSecReturnData: false])
            try bench.expect(result == nil, "no result", got: result, of: SecItemBench.copying(query))
        },
        SecItemRule(
            "attributes and data in one dictionary",
            "A copy with both flags returns one dictionary with the attributes and kSecValueData, and of all matches an array of such.",
            otherwise: "a cast fails on one of both",
            source: "Semantics, Result of a copy"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            let query = SecItemBench.password(more: [kSecReturnAttributes: true, kSecReturnData: true])
            try bench.expectSecret(try bench.copy(query), of: SecItemBench.copying(query))
            let all = query.merging([kSecMatchLimit: kSecMatchLimitAll]) { $1 }
            let list = try bench.copy(all) as? [Any]
            try bench.expectSecret(list?.first, of: SecItemBench.copying(all))
        },
    ]
}

extension SecItemBench {
    fileprivate func expectNoSecret(_ result: Any?, of call: String) throws {
        let attributes = Self.dictionary(result)
        let account = attributes?[kSecAttrAccount as String] as? String
        try expect(account == "ada", "a dictionary with the account", got: result, of: call)
        let secret = attributes?[kSecValueData as String]
        try expect(secret == nil, "a dictionary without kSecValueData", got: result, of: call)
    }

    fileprivate func expectSecret(_ result: Any?, of call: String) throws {
        let attributes = Self.dictionary(result)
        try expect(
            attributes?[kSecValueData as String] as? Data == Data("secret".utf8)
                && attributes?[kSecAttrService as String] as? String == "mail",
            "a dictionary with kSecAttrService and kSecValueData",
            got: result,
            of: call
        )
    }
}
