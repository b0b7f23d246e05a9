// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSimulation
import Testing

/// Why the calls failed that an issue concerns, in the words of `keychainctl doctor`.
enum FailureExplanation {
    /// How many failed calls are explained for an issue without a status.
    private static let maximum = 3

    /// The last calls of a log, because a test may make thousands; `nil` if there is none.
    static func calls(_ log: CallLog) -> String? {
        let calls = log.suffix(20).map(\.description).joined(separator: "\n")
        return calls.isEmpty ? nil : "The calls on its device, the last ones:\n\(calls)"
    }

    /// The explanations of the calls that an issue concerns; `nil` if no failed call can be explained.
    ///
    /// An issue that shows the status of a failed call, such as that of `#expect(status == errSecSuccess)`, concerns
    /// the last call with this status. Any other issue may concern every failed call: the last ones are explained,
    /// equal failures once.
    static func comment(on issue: Issue, _ device: VirtualDevice) -> Comment? {
        guard issue.severity == .error else { return nil }
        return text(on: "\(issue)", of: device.calls).map { Comment(rawValue: $0) }
    }

    /// The explanations of the calls of a log that a text concerns; `nil` if there is none.
    static func text(on issue: String, of log: CallLog) -> String? {
        let failed = log.filter { $0.hasFailed && !$0.isInjected }
        let shown = failed.last { call in call.status.map { names($0, in: issue) } ?? false }
        var explanations: [String] = []
        for call in shown.map({ [$0] }) ?? failed.reversed() {
            guard explanations.count < maximum else { break }
            guard let text = log.explanation(of: call), !explanations.contains(where: { $0.hasSuffix(text) }) else {
                continue
            }
            explanations.append("Call \(call.number), \(call.operation.rawValue), answered \(name(of: call)): \(text)")
        }
        return explanations.isEmpty ? nil : explanations.reversed().joined(separator: "\n\n")
    }

    /// Why the last call of a log failed; `nil` if it succeeded or cannot be explained.
    static func ofLastCall(_ log: CallLog) -> String? { log.last.flatMap(log.explanation) }

    private static func name(of call: KeychainCall) -> String { "\(Status(rawValue: call.status ?? 0))" }

    /// Whether a text contains a status as a separate number.
    private static func names(_ status: Int32, in text: String) -> Bool {
        text.split { !($0.isNumber || $0 == "-") }.contains { $0 == "\(status)" }
    }
}

extension KeychainCall {
    /// Whether it has ended, and not with `errSecSuccess`.
    var hasFailed: Bool { status.map { $0 != 0 } ?? false }
}
