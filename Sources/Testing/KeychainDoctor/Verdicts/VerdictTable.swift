// SPDX-License-Identifier: Apache-2.0

/// Every verdict with its texts; `Documentation/Diagnosis.md` is generated from these rows.
package enum VerdictTable {
    package static let rows: [VerdictID: VerdictRow] = Dictionary(
        uniqueKeysWithValues: all.map { ($0.id, $0) }
    )

    /// Every row, in the order of the trees.
    package static let all =
        duplicate + notFound + interaction + entitlement + updated + macOS + dictionary + person + success + report

    // The trap that costs the most: a delete works while keys are locked, and the add after it does not.
    static let deleteTrap =
        "Do not delete the item and add it again: the delete works while the device is locked, the add does not, and the secret is lost."
}
