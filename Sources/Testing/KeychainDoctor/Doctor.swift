// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Explains one call of an item function: what happened, which item was intended, which fact made the difference, and
/// what to change.
///
/// A pure function: its knowledge of the store comes from explanations, which change nothing and decrypt no secret.
package enum Doctor {
    /// Examines a call.
    ///
    /// - Parameters:
    ///   - call: the call, and the known facts about its surroundings.
    ///   - redaction: whether values are shown.
    ///   - explain: explains a call as the owner of the store sees it.
    /// - Returns: The report.
    /// - Throws: The errors of `explain`: the store cannot be read.
    package static func report(
        _ call: ExaminedCall,
        redaction: Redaction = .none,
        explain: @escaping (KeychainRequest) throws(KeychainError) -> Explanation
    ) throws(KeychainError) -> DoctorReport {
        let clock = ContinuousClock()
        let start = clock.now
        let examination = try Examination(call, explain)
        var diagnosis = UnknownValues.weakened(diagnosis(examination), examination)
        if call.clientSource == .assumed { diagnosis.confidence = min(diagnosis.confidence, VerdictConfidence.assumed) }
        let maker = AdviceMaker(examination: examination, diagnosis: diagnosis)
        var report = DoctorReport(
            call: call,
            diagnosis: diagnosis,
            checks: Checks(examination).results(),
            nearMisses: examination.nearMisses,
            advice: maker.advice(),
            never: maker.warnings(),
            questions: maker.questions(),
            blastRadius: examination.blastRadius,
            explanation: examination.explanation,
            replayed: examination.replayed,
            redaction: redaction,
            milliseconds: 0
        )
        report.milliseconds = Int((clock.now - start) / .milliseconds(1))
        return report
    }

    /// Explains calls of a keychain whose store this process owns.
    package static func report(
        _ call: ExaminedCall,
        redaction: Redaction = .none,
        of keychain: any KeychainBackend
    ) throws(KeychainError) -> DoctorReport {
        let options = ExplanationOptions(scope: .owner, lockState: call.lockState, now: call.time)
        return try report(call, redaction: redaction) { (request) throws(KeychainError) in
            try keychain.explain(ExplanationRequest(request, options))
        }
    }

    /// The tree that the status begins with.
    static func diagnosis(_ examination: Examination) -> Diagnosis {
        if let signature = EntitlementTree.unappliedSignature(examination) { return signature }
        if !examination.isReproduced {
            if let changed = PersonTree.changedBiometry(examination) { return changed }
            if examination.status == .itemNotFound, let named = UpdatedProgramTree.ofNamedPrograms(examination) {
                return named
            }
            let isAssumed = examination.call.clientSource == .assumed
            let hint = "the client was not given, so that it has every access group: give its list by --client"
            return Diagnosis(
                .notReproduced,
                path: ["1"],
                because: [
                    "reported \(examination.status), replayed \(examination.replayed)",
                    "lock state, client, time and keychain could differ",
                ] + (isAssumed ? [hint] : [])
            )
        }
        if let frontEnd = FrontEndTree.diagnosis(examination) { return frontEnd }
        let unexplained = Diagnosis(.statusUnexplained, path: ["1"], because: reasons(examination))
        switch examination.status {
        case .success: return SuccessTree.diagnosis(examination)
        case .duplicateItem: return DuplicateTree.diagnosis(examination)
        case .itemNotFound: return NotFoundTree.diagnosis(examination)
        case .interactionNotAllowed: return InteractionTree.diagnosis(examination)
        case .missingEntitlement: return EntitlementTree.diagnosis(examination)
        case .noSuchAttribute: return NoSuchAttributeTree.diagnosis(examination)
        case .parameter, .noSuchClass, .unimplemented, .decode:
            return InvalidQuery.diagnosis(examination) ?? unexplained
        case .authenticationFailed: return PersonTree.diagnosis(examination)
        default: return unexplained
        }
    }

    private static func reasons(_ examination: Examination) -> [String] {
        examination.explanation.error.map { [$0.reason] } ?? []
    }
}

extension Examination {
    /// The items affected by an update or a delete that would succeed.
    var blastRadius: DoctorReport.BlastRadius? {
        guard [.update, .delete].contains(function), replayed == .success, !call.hasUnknownPredicates,
            let effect = explanation.effect
        else { return nil }
        var byGroup: [String: Int] = [:]
        for item in effect.items { byGroup[item.group ?? "?", default: 0] += 1 }
        let byClass = Dictionary(uniqueKeysWithValues: effect.byClass.map { ($0.key.rawValue, $0.value) })
        return DoctorReport.BlastRadius(count: touchedCount, items: effect.items, byClass: byClass, byGroup: byGroup)
    }
}
