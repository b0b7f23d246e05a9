// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// One step of finding out who a program is.
public struct IdentityCheck: Sendable, Hashable {
    /// How it ended.
    public enum Result: String, Sendable, Hashable {
        /// It speaks for the program.
        case passed
        /// It speaks against it.
        case failed
        /// It says nothing: there is no manifest, for example.
        case absent
    }

    /// What was looked at, in a word or two.
    public let name: String

    /// How it ended.
    public let result: Result

    /// What was found, a sentence without its end.
    public let detail: String
}

/// Who a program is, and how that was found.
public struct Identification: Sendable, Hashable {
    /// Who it is.
    public let identity: ClientIdentity

    /// What was looked at, in order.
    public let checks: [IdentityCheck]
}

/// Collects what is found.
struct IdentityFindings {
    private(set) var checks: [IdentityCheck] = []

    mutating func pass(_ name: String, _ detail: String) {
        checks.append(IdentityCheck(name: name, result: .passed, detail: detail))
    }

    mutating func fail(_ name: String, _ detail: String) {
        checks.append(IdentityCheck(name: name, result: .failed, detail: detail))
    }

    mutating func note(_ name: String, _ detail: String) {
        checks.append(IdentityCheck(name: name, result: .absent, detail: detail))
    }

    /// Carries out a step that throws why it failed; `nil` then.
    mutating func attempt<Value: ~Copyable>(
        _ name: String,
        _ body: () throws(IdentityError) -> Value
    ) -> Value? {
        do throws(IdentityError) { return try body() } catch {
            fail(name, error.description)
            return nil
        }
    }

    /// Carries out a step that throws why it failed.
    mutating func succeeds(_ name: String, _ body: () throws(IdentityError) -> Void) -> Bool {
        do throws(IdentityError) {
            try body()
            return true
        } catch {
            fail(name, error.description)
            return false
        }
    }

    /// Why a program is no more than it is.
    var reasons: [String] { checks.filter { $0.result == .failed }.map(\.detail) }
}
