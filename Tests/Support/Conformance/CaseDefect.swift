// SPDX-License-Identifier: Apache-2.0

/// Something wrong with a case itself: an unknown operation, value kind or matcher, an unknown constant or variable.
///
/// A defect fails its case. It never skips or passes it, and it does not stop the others.
struct CaseDefect: Error, Equatable {
    /// What is wrong, in words.
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
