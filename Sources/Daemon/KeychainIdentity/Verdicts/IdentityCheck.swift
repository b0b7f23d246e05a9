// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// One step of the identification of a program.
package struct IdentityCheck: Sendable, Hashable {
    /// How it ended.
    package enum Result: String, Sendable, Hashable {
        /// It proves the identity.
        case passed
        /// It rules the identity out.
        case failed
        /// It is not conclusive: there is no manifest, for example.
        case absent
    }

    /// The subject of the check, in a word or two.
    package let name: String

    /// How it ended.
    package let result: Result

    /// The finding, a sentence without a period.
    package let detail: String
}

/// The identity of a program, and the checks that led to it.
package struct Identification: Sendable, Hashable {
    /// The identity.
    package let identity: ClientIdentity

    /// The checks, in order.
    package let checks: [IdentityCheck]
}

/// Collects what is found.
struct IdentityFindings {
    private(set) var checks: [IdentityCheck] = []

    /// Whether there is a manifest for the program, valid or not.
    var hasManifest = false

    mutating func addPassed(_ name: String, _ detail: String) {
        checks.append(IdentityCheck(name: name, result: .passed, detail: detail))
    }

    mutating func addFailed(_ name: String, _ detail: String) {
        checks.append(IdentityCheck(name: name, result: .failed, detail: detail))
    }

    mutating func addAbsent(_ name: String, _ detail: String) {
        checks.append(IdentityCheck(name: name, result: .absent, detail: detail))
    }

    /// Carries out a step that throws why it failed; `nil` then.
    mutating func attempt<Value: ~Copyable>(
        _ name: String,
        _ body: () throws(IdentityError) -> Value
    ) -> Value? {
        do throws(IdentityError) { return try body() } catch {
            addFailed(name, error.description)
            return nil
        }
    }

    /// Carries out a step that throws why it failed.
    mutating func succeeds(_ name: String, _ body: () throws(IdentityError) -> Void) -> Bool {
        do throws(IdentityError) {
            try body()
            return true
        } catch {
            addFailed(name, error.description)
            return false
        }
    }

    /// The reasons why a program has no further identity.
    var reasons: [String] { checks.filter { $0.result == .failed }.map(\.detail) }
}
