// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Calls with unknown values, such as those of variables: an omitted predicate is unknown, and no verdict may depend on
/// its absence.
enum UnknownValues {
    /// The diagnosis that is still certain.
    static func weakened(_ diagnosis: Diagnosis, _ examination: Examination) -> Diagnosis {
        let call = examination.call
        guard call.hasUnknownValues else { return diagnosis }
        let names = diagnosis.names[.attribute]
        switch diagnosis.verdict {
        case .queryInvalid, .attributeNotInClass, .noSuchAttrUnexplained:
            // The entry is wrong regardless of the others; an entry that only appears to be missing is not.
            if Set(names).isDisjoint(with: call.unknownKeys.union(call.unknownAttributeKeys)) { return diagnosis }
        case .noGroupsAtAll, .groupPrefixMissing, .groupPrefixWrong, .appGroupNotEntitled, .groupNotListed:
            return diagnosis
        case .signatureNotApplied:
            let keys = call.unknownKeys.union(call.unknownAttributeKeys)
            if !keys.contains(AttributeName.accessGroup.description) { return diagnosis }
            return notReproduced(examination)
        case .notReproduced: return notReproduced(examination)
        case .noReturnType, .resultTypeMismatch:
            if !call.unknownKeys.contains(where: { $0.hasPrefix("r_") || $0 == PropertyKey.matchLimit }) {
                return diagnosis
            }
        case .updateZeroVisibleChange where call.unknownAttributeKeys.isEmpty, .addOnlyAttribute: return diagnosis
        case .nothingWrong:
            var weaker = diagnosis
            weaker.confidence = VerdictConfidence.guess
            weaker.because = [sentence(call)]
            return weaker
        default:
            if examination.status != .success {
                var weaker = diagnosis
                weaker.confidence = min(VerdictConfidence.guess, diagnosis.confidence)
                weaker.because = [sentence(call)] + diagnosis.because
                return weaker
            }
            if call.unknownKeys.isEmpty, diagnosis.verdict != .updateZeroVisibleChange { return diagnosis }
        }
        return Diagnosis(
            .ambiguousIntent,
            path: diagnosis.path,
            confidence: VerdictConfidence.guess,
            because: [sentence(call)],
            about: diagnosis.candidate
        )
    }

    private static func notReproduced(_ examination: Examination) -> Diagnosis {
        Diagnosis(
            .notReproduced,
            path: ["1"],
            confidence: VerdictConfidence.guess,
            because: [
                "reported \(examination.status), replayed \(examination.replayed)", sentence(examination.call),
                "one of these values may account for it",
            ]
        )
    }

    /// The question about the values.
    static func question(_ examination: Examination) -> QuestionRow? {
        let call = examination.call
        guard call.hasUnknownValues else { return nil }
        return QuestionRow(
            text: "What was \(list(call))?",
            why: "the call was examined without it",
            yes: "put the value in its place, and examine the call again",
            no: "take what is said here as a guess"
        )
    }

    private static func sentence(_ call: ExaminedCall) -> String { "not known, and so left out: \(list(call))" }

    private static func list(_ call: ExaminedCall) -> String {
        call.unknownKeys.union(call.unknownAttributeKeys).sorted()
            .map { KeyNames.isKnown($0) ? KeyNames.constant($0) : ItemText.name($0) }.joined(separator: ", ")
    }
}

extension ExaminedCall {
    /// Whether there are entries whose values are unknown.
    package var hasUnknownValues: Bool { !unknownKeys.isEmpty || !unknownAttributeKeys.isEmpty }

    /// Whether such an entry of the query may decide which items match.
    var hasUnknownPredicates: Bool {
        unknownKeys.contains { key in
            key == PropertyKey.itemClass || key.hasPrefix("m_") || !["r_", "u_"].contains { key.hasPrefix($0) }
        }
    }
}
