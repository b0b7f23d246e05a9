// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let resultCastMismatch = Rule(
        "result-cast-mismatch",
        severity: .error,
        confidence: .high,
        family: .results,
        title: "A result is cast to what it never is",
        reason: """
            The flags decide the type: kSecReturnData alone gives Data; with kSecReturnAttributes, or with \
            several flags, a dictionary; with kSecMatchLimitAll an array of those.
            """,
        remedy: "Cast to the type that the flags give, or change the flags.",
        flagged: """
            import Security
            func read() -> Data? {
                var r: CFTypeRef?
                let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecReturnData: true, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitOne]
                guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
                return r as? Data
            }
            """,
        accepted: """
            import Security
            func read() -> Data? {
                var r: CFTypeRef?
                let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecReturnData: true, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitOne]
                guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
                return (r as? [String: Any])?[kSecValueData as String] as? Data
            }
            """,
        check: .function { facts, report in
            for site in facts.sites where site.function == .copyMatching {
                // A cast that is tried next to others determines the type.
                let wholes = site.casts.filter { $0.isWhole && $0.depth == 0 }
                guard Set(wholes.map(\.type)).count == 1, let cast = wholes.first, site.depth == 0 || site.isReported
                else { continue }
                guard let problem = mismatch(site, cast.type) else { continue }
                report.add(cast.place, problem, related: [(site.reportPlace, "the call")], context: site.context)
            }
        }
    )
}

/// The actual type of the result, if the cast never succeeds.
private func mismatch(_ site: Site, _ type: String) -> String? {
    var answers: Set<String> = []
    for variant in site.query.variants {
        guard !variant.isOpen, let many = variant.asksForMany else { return nil }
        let flags = ["kSecReturnData", "kSecReturnAttributes", "kSecReturnRef", "kSecReturnPersistentRef"]
        let given = flags.filter { variant.isTrue($0) }
        guard !given.isEmpty, given.allSatisfy({ variant.isCertainlyTrue($0) }) else { return nil }
        let isDictionary = given.count > 1 || given.contains("kSecReturnAttributes")
        let isData = given == ["kSecReturnData"] || given == ["kSecReturnPersistentRef"]
        if many {
            if CastType.isArray(type) { return nil }
            if CastType.isData(type) || CastType.isDictionary(type) || CastType.isReference(type) {
                answers.insert("an array, because many are asked for")
            }
        } else if CastType.isArray(type) {
            // Another rule reports reads without a limit.
            guard variant.has("kSecMatchLimit") else { return nil }
            answers.insert("one item, because one is asked for")
        } else if isDictionary {
            guard CastType.isData(type) || CastType.isReference(type) else { return nil }
            answers.insert("a dictionary, because of \(list(given))")
        } else if isData {
            guard CastType.isDictionary(type) || CastType.isReference(type) else { return nil }
            answers.insert("Data, because of \(list(given))")
        } else {
            guard CastType.isData(type) || CastType.isDictionary(type) else { return nil }
            answers.insert("a reference, because of \(list(given))")
        }
    }
    guard answers.count == 1, let answer = answers.first else { return nil }
    return "is never \(type): the result is \(answer)"
}
