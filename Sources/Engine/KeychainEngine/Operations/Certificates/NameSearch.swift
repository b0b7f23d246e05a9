// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The names that lead to wanted ones through their successors, within a number of steps.
///
/// Results for a name are kept for later searches. So a name is followed at most once for each number of steps, for any
/// names and any number of searches.
struct NameSearch {
    private let wanted: Set<[UInt8]>
    private var known: [[UInt8]: Known] = [:]

    private struct Known {
        /// The number of steps within which the name is known to lead to none of the wanted ones; -1 if unknown.
        var fruitless = -1
        /// The number of steps within which it leads to one of them.
        var fruitful = Int.max
    }

    /// The search for some names.
    init(for wanted: Set<[UInt8]>) { self.wanted = wanted }

    /// Whether a name is one of the wanted names, or leads to one through its successors.
    ///
    /// The nearest names are examined first.
    mutating func isReachable(
        from name: [UInt8],
        within maximumSteps: Int,
        _ followers: ([UInt8]) throws(KeychainError) -> [[UInt8]]
    ) throws(KeychainError) -> Bool {
        for steps in 0...maximumSteps where try reaches(name, within: steps, by: followers) { return true }
        return false
    }

    private mutating func reaches(
        _ name: [UInt8],
        within steps: Int,
        by followers: ([UInt8]) throws(KeychainError) -> [[UInt8]]
    ) throws(KeychainError) -> Bool {
        if wanted.contains(name) { return true }
        let before = known[name, default: Known()]
        if steps >= before.fruitful { return true }
        if steps <= before.fruitless { return false }
        if steps > 0 {
            for follower in try followers(name) where try reaches(follower, within: steps - 1, by: followers) {
                // On the way the name may have been met again, with fewer steps left.
                known[name, default: Known()].fruitful = min(steps, known[name]?.fruitful ?? steps)
                return true
            }
        }
        known[name, default: Known()].fruitless = steps
        return false
    }
}
