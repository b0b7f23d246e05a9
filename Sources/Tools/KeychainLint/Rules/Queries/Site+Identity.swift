// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Site {
    /// The key columns that the query lacks on every path, if all of its keys are known; nil if it may name one item.
    ///
    /// A column that is absent only under a condition counts as given: the caller decides.
    func missingIdentity() -> (keys: [String], itemClass: ItemClass)? {
        guard !query.variants.isEmpty, closed.count == query.variants.count else { return nil }
        var lacking: Set<String>?
        var known: ItemClass?
        for variant in closed {
            guard let itemClass = variant.itemClass else { return nil }
            if let known, known != itemClass { return nil }
            known = itemClass
            let missing = Set(KeyTable.missingIdentity(variant, itemClass))
            if missing.isEmpty { return nil }
            lacking = lacking?.intersection(missing) ?? missing
        }
        guard let known, let lacking, !lacking.isEmpty else { return nil }
        return (lacking.sorted(), known)
    }

    /// Whether nothing but the class narrows the query.
    var isClassWide: Bool {
        !query.variants.isEmpty
            && query.variants.allSatisfy { variant in
                !variant.isOpen && variant.has("kSecClass") && !variant.hasReference
                    && variant.entries.keys.allSatisfy {
                        $0 == "kSecClass" || $0 == "kSecAttrSynchronizable" || KeyTable.isUseKey($0)
                            || KeyTable.isReturnKey($0) || $0 == "kSecMatchLimit"
                    }
            }
    }

    /// Whether a service, a server, a group or a tag of the program narrows the query.
    var hasScope: Bool {
        query.variants.allSatisfy { variant in
            [
                "kSecAttrService", "kSecAttrServer", "kSecAttrAccessGroup", "kSecAttrApplicationTag", "kSecAttrLabel",
                "kSecAttrCreator", "kSecAttrGeneric", "kSecAttrType",
            ]
            .contains { variant.has($0) }
        }
    }
}

extension ModuleFacts {
    /// Whether all known adds of a class by a type omit the same columns: then those columns do not distinguish its
    /// items.
    func addsOmit(_ keys: [String], of itemClass: ItemClass, type: String?, file: Int) -> Bool {
        let variants = functions.filter { $0.typeName == type && (type != nil || $0.file == file) }
            .flatMap(\.reported).filter { $0.function == .add }.flatMap(\.query.variants)
            .filter { $0.itemClass == itemClass }
        return !variants.isEmpty
            && variants.allSatisfy { variant in !variant.isOpen && keys.allSatisfy { !variant.has($0) } }
    }
}

extension ModuleFacts {
    /// Reports calls of a function that may affect many items, because primary key columns are missing.
    ///
    /// - Parameters:
    ///   - function: The function whose calls to check.
    ///   - verb: The operation on items, as worded in a finding.
    ///   - report: Receives the findings.
    ///   - isMeant: Whether a call is intended for many items.
    func reportIncompleteIdentity(
        of function: ItemFunction,
        verb: String,
        to report: inout Report,
        unless isMeant: (Site, FunctionFacts) -> Bool
    ) {
        for facts in functions where !facts.isTest {
            for site in facts.reported where site.function == function && !isMeant(site, facts) {
                guard let (keys, itemClass) = site.missingIdentity() else { continue }
                // Both halves of a key pair have its tag.
                let isPair = itemClass == .key && keys == ["kSecAttrKeyClass"]
                // One item for each service, by design.
                let isConsistent =
                    keys == ["kSecAttrAccount"] && addsOmit(keys, of: itemClass, type: facts.typeName, file: facts.file)
                report.add(
                    site.reportPlace,
                    "\(verb) every item that matches: \(list(keys)) \(keys.count > 1 ? "are" : "is") not given",
                    severity: isPair || isConsistent ? .note : nil,
                    confidence: isPair || isConsistent ? .medium : nil,
                    related: site.originRelated,
                    context: site.context
                )
            }
        }
    }
}
