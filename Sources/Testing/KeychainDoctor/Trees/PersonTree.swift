// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Failures that depend on the user: failed authentication (`errSecAuthFailed`), another enrolled set (check C11).
enum PersonTree {
    static func diagnosis(_ examination: Examination) -> Diagnosis {
        changedBiometry(examination)
            ?? Diagnosis(.authFailed, path: ["C11"], because: ["the access control was evaluated, and not satisfied"])
    }

    /// An item of the current biometry set that was stored with another enrolment.
    ///
    /// The status is undetermined: either not found or authentication failed.
    static func changedBiometry(_ examination: Examination) -> Diagnosis? {
        let statuses: Set<Status> = [.authenticationFailed, .itemNotFound]
        guard statuses.contains(examination.status), statuses.contains(examination.replayed) else { return nil }
        let items = examination.matches.map(\.item) + (examination.explanation.effect?.items ?? [])
        let enrolled = examination.explanation.device.biometry.enrolledSet
        guard
            let item = items.first(where: { isBoundToOtherSet($0, than: enrolled) })
        else { return nil }
        return Diagnosis(
            .biometryChanged,
            path: ["C11"],
            because: [
                "the item is guarded by biometryCurrentSet",
                enrolled == nil ? "nothing is enrolled now" : "another set was enrolled when it was stored",
            ],
            about: Candidate(item)
        )
    }

    /// Whether an item is guarded by the biometry that was enrolled when it was stored, and that is another now.
    static func isBoundToOtherSet(_ item: ExplainedItem, than enrolled: Bytes16?) -> Bool {
        guard let accessControl = item.accessControl, let constraints = accessControl.constraints else { return false }
        return constraints.required.contains(.biometryCurrentSet) && accessControl.enrolledSet != enrolled
    }
}
