// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension DoctorReport {
    /// The report as JSON (`Documentation/doctor-report-1.schema.json`).
    package var json: JSONValue {
        .object([
            "$schema": .string("keychain-doctor-report-1"),
            "schemaVersion": .integer(1),
            "call": callJSON,
            "client": clientJSON,
            "status": statusJSON,
            "verdict": verdictJSON,
            "checks": .array(checks.map(checkJSON)),
            "nearMisses": .array(listed.map(nearMissJSON)),
            "relaxations": .array((nearMisses?.relaxations ?? []).map(relaxationJSON)),
            "blastRadius": blastRadius.map(blastRadiusJSON) ?? .null,
            "advice": .array(advice.enumerated().map { adviceJSON($0.offset + 1, $0.element) }),
            "never": .strings(never.map { filled($0) }),
            "questions": .array(questions.enumerated().map { questionJSON($0.offset + 1, $0.element) }),
            "redaction": .object([
                "values": .string(redaction.isHashed ? "hashed" : "shown"), "secrets": .string("never"),
            ]),
            "timing": .object(["ms": .integer(milliseconds), "itemsScanned": .integer(itemsScanned)]),
        ])
    }

    /// How many items the search covered.
    package var itemsScanned: Int { explanation.search?.population.values.reduce(0, +) ?? 0 }

    private var callJSON: JSONValue {
        let search = explanation.search
        let limit: JSONValue =
            switch search?.limit {
            case .one?: .string("one")
            case .all?: .string("all")
            case .atMost(let count)?: .integer(count)
            case nil: .null
            }
        return .object([
            "function": .string(call.function.rawValue),
            "query": dictionaryJSON(call.query),
            "attributesToUpdate": call.attributes.map { dictionaryJSON($0) } ?? .null,
            "returns": .strings((search?.returns ?? []).map(Self.returnName)),
            "limit": .object(["effective": limit, "explicit": .boolean(search?.hasExplicitLimit ?? false)]),
        ])
    }

    private static func returnName(_ key: String) -> String {
        switch key {
        case PropertyKey.returnAttributes: "attributes"
        case PropertyKey.returnData: "data"
        case PropertyKey.returnPersistentReference: "persistentRef"
        default: "ref"
        }
    }

    private var clientJSON: JSONValue {
        let client = call.request.client
        return .object([
            "groups": .strings(client.accessGroups.map(redaction.shown)),
            "defaultGroup": explanation.groups.default.map { .string(redaction.shown($0)) } ?? .null,
            "platform": .string(call.platform.rawValue),
            "keychainKind": .string("data-protection"),
            "lockState": .string(explanation.device.lockState.rawValue),
            "background": .boolean(call.isBackground),
            "source": .string(call.clientSource.rawValue),
        ])
    }

    private var statusJSON: JSONValue {
        .object([
            "reported": call.reportedStatus.map { .integer(Int($0.rawValue)) } ?? .null,
            "replayed": .integer(Int(replayed.rawValue)),
            "name": .string("\(status)"),
            "reproduced": .boolean(status == replayed),
        ])
    }

    private var verdictJSON: JSONValue {
        let names = diagnosis.names.values.map { key, values -> (String, JSONValue) in
            let texts = values.map { value in
                switch key {
                case .group: redaction.shown(value)
                case .attribute where !KeyNames.isKnown(value): redaction.shown(value)
                default: value
                }
            }
            return (key.rawValue, texts.count == 1 ? .string(texts[0]) : .strings(texts))
        }
        return .object([
            "id": .string(diagnosis.verdict.rawValue),
            "tree": .string(diagnosis.verdict.row.tree),
            "path": .strings(diagnosis.path),
            "confidence": .real(diagnosis.confidence),
            "headline": .string(headline),
            "because": .strings(because),
            "also": .strings(diagnosis.also.map(\.rawValue)),
            "names": .object(Dictionary(uniqueKeysWithValues: names)),
        ])
    }

    private func checkJSON(_ check: CheckResult) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(check.id.rawValue), "result": .string(check.outcome.rawValue),
        ]
        if !check.evidence.isEmpty { members["evidence"] = .strings(check.evidence) }
        if let reason = check.reason { members["reason"] = .string(redaction.sentence(reason)) }
        return .object(members)
    }

    private func nearMissJSON(_ name: String, _ candidate: Candidate) -> JSONValue {
        .object([
            "ref": .string(name),
            "item": itemJSON(candidate.item, including: candidate.failedKeys),
            "visibleToClient": .boolean(candidate.isVisible),
            "readableNow": .boolean(candidate.item.isReadableNow),
            "distance": .integer(candidate.distance),
            "differences": .array(candidate.differences.map(differenceJSON)),
        ])
    }

    private func differenceJSON(_ difference: Difference) -> JSONValue {
        .object([
            "attribute": .string(difference.key),
            "queried": difference.queried.map { valueJSON($0.property) } ?? .null,
            "stored": difference.stored.map { valueJSON($0.property) } ?? .null,
            "relation": .string(difference.relation.rawValue),
            "keyColumn": .boolean(difference.isKeyAttribute),
        ])
    }

    private func itemJSON(_ item: ExplainedItem, including keys: Set<String>) -> JSONValue {
        var members: [String: JSONValue] = [
            "class": .string(item.itemClass.rawValue),
            "group": item.group.map { .string(redaction.shown($0)) } ?? .null,
            "pdmn": .string(item.level),
            "sync": item.isSynchronizable.map { .boolean($0) } ?? .null,
            "hasData": item.hasData.map { .boolean($0) } ?? .null,
        ]
        for name in Set(item.itemClass.keyColumns + [.label] + keys.compactMap { AttributeName($0) }) {
            guard members[name.description] == nil, name != .accessGroup,
                ItemSchema.of(item.itemClass)[name] != nil, let attributes = item.attributes
            else { continue }
            members[name.description] = attributes[name].map { valueJSON($0.property) } ?? .null
        }
        for (name, column) in [("created", AttributeName.creationDate), ("modified", .modificationDate)] {
            guard case .date(let date)? = item.attributes?[column] else { continue }
            members[name] = .string(ItemText.timestamp(date))
        }
        return .object(members)
    }

    private func relaxationJSON(_ relaxation: NearMisses.Relaxation) -> JSONValue {
        .object([
            "drop": .strings(relaxation.dropped.sorted()),
            "matches": .integer(relaxation.count),
            "items": .strings(relaxation.items.filter { $0 < Self.maximumNearMisses }.map { "m\($0 + 1)" }),
            "ambiguous": .boolean(relaxation.isAmbiguous),
        ])
    }

    private func blastRadiusJSON(_ radius: BlastRadius) -> JSONValue {
        let names = Dictionary(listed.map { ($0.candidate.item.persistentReference, $0.name) }) { first, _ in first }
        let groups = radius.byGroup.map { (redaction.shown($0.key), JSONValue.integer($0.value)) }
        return .object([
            "count": .integer(radius.count),
            "items": .strings(radius.items.compactMap { names[$0.persistentReference] }),
            "byClass": .object(radius.byClass.mapValues { .integer($0) }),
            "byGroup": .object(Dictionary(groups) { first, _ in first }),
        ])
    }

    private func adviceJSON(_ rank: Int, _ advice: Advice) -> JSONValue {
        var dictionaries = advice.dictionaries.mapValues { dictionaryJSON($0) }
        if let function = advice.function { dictionaries["function"] = .string(function) }
        return .object([
            "rank": .integer(rank),
            "action": .string(advice.action.rawValue),
            "text": .string(filled(advice.text)),
            "dictionaries": advice.dictionaries.isEmpty ? .null : .object(dictionaries),
            "risk": .string(advice.risk.rawValue),
            "preconditions": .strings(advice.preconditions),
            "why": .strings(advice.why),
        ])
    }

    private func questionJSON(_ number: Int, _ question: Question) -> JSONValue {
        .object([
            "id": .string("q\(number)"),
            "text": .string(filled(question.text)),
            "why": .string(filled(question.why)),
            "answers": .object(["yes": .string(filled(question.yes)), "no": .string(filled(question.no))]),
        ])
    }
}

// MARK: - Dictionaries

extension DoctorReport {
    func dictionaryJSON(_ dictionary: PropertyDictionary) -> JSONValue {
        .object(
            Dictionary(
                dictionary.entries.map { key, value in
                    let name = KeyNames.isKnown(key) ? key : redaction.shown(key)
                    return (name, isShown(key) ? plainJSON(value, for: key) : valueJSON(value, for: key))
                }
            ) { first, _ in first }
        )
    }

    /// Whether a key describes how a call works, rather than a user's value.
    private func isShown(_ key: String) -> Bool {
        ["class", "pdmn", "sync", "nleg"].contains(key)
            || ["m_Limit", "r_", "u_AuthUI"].contains { key.hasPrefix($0) }
    }

    private func plainJSON(_ value: PropertyValue, for key: String) -> JSONValue {
        switch (key, value) {
        case (PropertyKey.matchLimit, .string(PropertyKey.matchLimitOne)): .string("one")
        case (PropertyKey.matchLimit, .string(PropertyKey.matchLimitAll)): .string("all")
        case (_, .string(let text)) where KeyNames.constant(ofValue: text, for: key) != nil: .string(text)
        case (_, .number(.integer(let number))): .integer(Int(number))
        default: valueJSON(value, for: key)
        }
    }

    /// Whether data or a text under a key may be a secret.
    private static func isOfSecrets(_ key: String) -> Bool {
        [PropertyKey.valueReference, PropertyKey.useCredentialReference].contains(key)
    }

    /// A value; the bytes of a secret never.
    func valueJSON(_ value: PropertyValue, for key: String = "") -> JSONValue {
        switch value {
        case .data(let data) where key == PropertyKey.valueData: .string("<\(data.count) bytes>")
        // A value of the wrong type may be a secret intended for another key.
        case .data where Self.isOfSecrets(key), .string where Self.isOfSecrets(key): .string("<secret>")
        // It has the wrong type, but is still intended as the secret.
        case _ where key == PropertyKey.valueData: .string("<secret>")
        case .oversizedData(let count): .string("<\(count) bytes>")
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .number(.integer(let number)) where !redaction.isHashed: .integer(Int(number))
        case .number(let number): .string(redaction.shown(ItemText.plain(number)))
        case .string(let text), .uuid(let text): .string(redaction.shown(text))
        case .data(let data):
            .object(["data": .string(redaction.isHashed ? redaction.shown(data.base64) : data.base64)])
        case .date(let date): .string(redaction.shown(ItemText.timestamp(date)))
        case .accessControl(let accessControl):
            .object(["accessControl": .string(accessControl.protection.rawValue)])
        case .array(let members): .string("<\(members.count) values>")
        case .authenticationContext: .string("<context>")
        case .reference(let reference): .string("<\(reference.itemClass.rawValue)>")
        case .policy: .string("<policy>")
        case .keychain: .string("<SecKeychain>")
        case .access: .string("<SecAccess>")
        case .nested: .string("<dictionary>")
        case .object(let name): .string("<\(name)>")
        }
    }
}

extension SecretBytes {
    /// Base64 (RFC 4648, section 4), for non-secret bytes.
    fileprivate var base64: String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bytes = unprotectedCopy
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = 0
            for offset in 0..<3 { bits = bits << 8 | (offset < group.count ? Int(bytes[start + offset]) : 0) }
            for position in 0..<4 {
                text.append(position <= group.count ? alphabet[bits >> (18 - 6 * position) & 63] : "=")
            }
        }
        return text
    }
}
