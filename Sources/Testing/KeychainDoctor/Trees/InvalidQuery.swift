// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Check C01: a dictionary that the function rejects.
enum InvalidQuery {
    /// The problem with the dictionaries, if the status indicates one; a limit of 0 finds nothing without an error.
    static func diagnosis(_ examination: Examination) -> Diagnosis? {
        diagnosis(examination, of: examination.status)
    }

    /// The entries whose checks answer a status.
    static func diagnosis(_ examination: Examination, of status: Status) -> Diagnosis? {
        let faults = examination.explanation.faults.filter { $0.error.status == status }
        guard let first = faults.first else { return nil }
        // The attributes are not checked before the query is valid.
        let same = faults.filter { $0.part == first.part }
        let keys = same.flatMap { entries(of: $0, examination.call) }
        let side = first.part == .query ? "query" : "update"
        return Diagnosis(
            .queryInvalid,
            path: ["C01"],
            names: [.attribute: keys, .side: examination.function == .update ? [side] : []],
            confidence: VerdictConfidence.certain,
            because: same.prefix(3).map { "\($0.check.rawValue): \(reason($0))" }
        )
    }

    /// The reason, with the name of an unknown key marked as a value.
    private static func reason(_ fault: ExplainedFault) -> String {
        guard let key = fault.key, !key.isEmpty, !KeyNames.isKnown(key) else { return fault.error.reason }
        return fault.error.reason.split(separator: "'\(key)'", omittingEmptySubsequences: false)
            .joined(separator: "'\(ItemText.name(key))'")
    }

    /// The keys that a fault is about.
    static func entries(of fault: ExplainedFault, _ call: ExaminedCall) -> [String] {
        if let key = fault.key { return [key] }
        let dictionary = fault.part == .query ? call.query : call.attributes ?? [:]
        func present(_ keys: String...) -> [String] {
            let found = keys.filter { dictionary[$0] != nil }
            return found.isEmpty ? Array(keys.prefix(1)) : found
        }
        switch fault.check {
        case .matchKeys, .matchClass: return dictionary.entries.keys.filter { $0.hasPrefix("m") }.sorted()
        case .returnKeys:
            return dictionary.entries.filter { $0.key.hasPrefix("r") && $0.value == .boolean(true) }.map(\.key).sorted()
        case .itemList: return [PropertyKey.useItemList]
        case .className, .itemClass, .entries, .addedIdentity: return [PropertyKey.itemClass]
        case .accessControlType: return ["accc"]
        case .accessControlSynchronizable: return present("accc", "sync")
        case .protectionConflict: return present("accc", "pdmn")
        case .sharingGroupSynchronizable: return present("ggrp", "sync")
        case .sharingGroup, .sharingGroupChange: return ["ggrp"]
        case .tokenType, .token: return ["tkid"]
        case .policyType: return [PropertyKey.matchPolicy]
        case .issuerType: return ["issr"]
        case .valueReference: return [PropertyKey.valueReference]
        case .contextAndCredential:
            return present(PropertyKey.useAuthenticationContext, PropertyKey.useCredentialReference)
        case .authenticationUISkip: return [PropertyKey.useAuthenticationUI]
        case .persistentReference, .referenceAlone, .addedReference: return [PropertyKey.valuePersistentReference]
        case .accessGroup, .appClipGroup: return ["agrp"]
        case .appClipSynchronizable: return ["sync"]
        case .matchLimit: return [PropertyKey.matchLimit]
        case .secretType, .secretSize: return [PropertyKey.valueData]
        case .encoding: return fractional(dictionary)
        case .clientGroups, .writableGroups, .keyType, .numberAsKey, .keyCount, .attributeName, .attributeValue,
            .matchValue, .returnValue, .useValue, .keyKind, .privateAttribute, .closedAttribute,
            .encryptedAttribute:
            return []
        }
    }

    /// The keys of numbers that are not whole.
    private static func fractional(_ dictionary: PropertyDictionary) -> [String] {
        dictionary.entries.filter { _, value in
            switch value {
            case .number(let number): number.exactInteger == nil
            case .nested(.fractional), .nested(.unencodable), .object: true
            default: false
            }
        }
        .map(\.key)
    }
}
