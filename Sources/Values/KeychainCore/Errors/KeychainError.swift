// SPDX-License-Identifier: Apache-2.0

/// The failure of a request: the status that Apple's function returns, the kind of failure, and the reason in words.
///
/// A plain value. It never carries the value of an attribute or a secret: reasons and facts name attributes, never
/// their values.
package struct KeychainError: Error, Sendable, Hashable {
    /// The status that the item function returns.
    package var status: Status

    /// The kind of failure, for callers that distinguish failures.
    package var kind: Kind

    /// One sentence: what is wrong and, if helpful, what to do.
    package var reason: String

    /// The attribute or dictionary key that the failure is about, by its string.
    package var subject: String?

    /// Additional facts by name, such as a system error number or a path.
    package var facts: [String: String]

    /// An error of a status.
    package init(
        _ status: Status,
        _ reason: String,
        kind: Kind = .request,
        subject: String? = nil,
        facts: [String: String] = [:]
    ) {
        self.status = status
        self.kind = kind
        self.reason = reason
        self.subject = subject
        self.facts = facts
    }

    /// An invalid dictionary: `errSecParam`.
    package static func parameter(_ reason: String, subject: String? = nil) -> KeychainError {
        KeychainError(.parameter, reason, subject: subject)
    }

    /// A backend returned a reply of the wrong kind.
    package static let unexpectedReply = KeychainError(
        .internalComponent,
        "the keychain gave a reply that does not belong to the command",
        kind: .transport
    )

    /// The proof that a program in a sandbox lacks, or one whose daemon was started in a sandbox.
    package static let outsideOfSandbox = "outside of every sandbox"

    /// The fact that names a process that listens in the place of the daemon.
    package static let foreignListenerFact = "listener"

    /// Whether another process listens in the place of the daemon, which may run.
    package var hasForeignListener: Bool { facts[Self.foreignListenerFact] != nil }

    /// Whether the daemon takes the program for one in a sandbox.
    package var isAboutSandbox: Bool { facts["proof"] == Self.outsideOfSandbox }
}

extension KeychainError: CustomStringConvertible {
    /// The status by name, the reason, and the facts that the reason does not contain.
    package var description: String {
        let others = facts.filter { !reason.contains($0.value) }.sorted { $0.key < $1.key }
        let text = others.isEmpty ? "" : " (\(others.map { "\($0.key): \($0.value)" }.joined(separator: ", ")))"
        return "\(status): \(reason)\(text)"
    }
}
