// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore
import KeychainDoctor
import KeychainTrace

/// A call of a trace as a line of text.
enum TraceText {
    static func line(for entry: TraceEntry, call: TracedCall, at place: String) -> String {
        let duration = "\((call.milliseconds * 10).rounded() / 10) ms"
        let state = call.lockState.map { $0 == .unlocked ? "" : " (\($0.rawValue))" } ?? ""
        let parts = [
            entry.time.clockText, "\(call.status)", "\(text(call.operation))\(state)", duration, place,
        ]
        return DoctorReport.printable(parts.filter { !$0.isEmpty }.joined(separator: "  "))
    }

    /// The name of the function and its dictionaries: the query, and the new attributes of an update.
    private static func text(_ operation: KeychainRequest.Operation) -> String {
        var text = "\(operation.functionName) \(Self.text(operation.mainDictionary))"
        switch operation {
        case .update(_, let attributes), .set(_, let attributes, _): text += " → \(Self.text(attributes))"
        case .add, .copyMatching, .delete: break
        }
        return text
    }

    private static func text(_ dictionary: PropertyDictionary) -> String {
        let entries = dictionary.entries.map { key, value in
            "\(CaseNotation.name(ofKey: key)): \(text(value, under: key))"
        }
        return "{\(entries.sorted().joined(separator: ", "))}"
    }

    private static func text(_ value: PropertyValue, under key: String) -> String {
        switch value {
        case .null: return "null"
        case .boolean(let flag): return "\(flag)"
        case .number(.integer(let number)): return "\(number)"
        case .number(let number): return "\(number)"
        case .string(let text): return CaseNotation.name(ofConstant: text, under: key) ?? "\"\(text)\""
        case .data(let bytes): return "\(bytes.count) bytes"
        case .oversizedData(let count): return "\(count) bytes"
        case .date: return "a date"
        case .uuid(let text): return text
        case .array(let members): return "an array of \(members.count)"
        case .accessControl(let accessControl): return "an access control of \(accessControl.protection.rawValue)"
        case .authenticationContext: return "an LAContext"
        case .reference(let reference): return "a reference of class \(reference.itemClass.rawValue)"
        case .policy: return "a SecPolicy"
        case .nested: return "a dictionary"
        case .keychain: return "a SecKeychain"
        case .access: return "a SecAccess"
        case .object(let type): return "an object: \(type)"
        }
    }
}

extension Timestamp {
    /// The time of the day in UTC, with milliseconds.
    var clockText: String {
        let milliseconds = Int((secondsSinceReferenceDate * 1_000).rounded(.down))
        let ofDay = ((milliseconds % 86_400_000) + 86_400_000) % 86_400_000
        func padded(_ number: Int, to width: Int) -> String {
            String(repeating: "0", count: max(0, width - "\(number)".count)) + "\(number)"
        }
        let parts = [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1_000 % 60].map { padded($0, to: 2) }
        return "\(parts.joined(separator: ":")).\(padded(ofDay % 1_000, to: 3))"
    }
}

/// The number of calls by status and place.
struct TraceCounts {
    private var counts: [Key: Int] = [:]

    private struct Key: Hashable {
        let status: String
        let function: String
        let place: String
    }

    mutating func record(_ call: TracedCall, _ place: String) {
        let key = Key(status: "\(call.status)", function: call.operation.functionName, place: place)
        counts[key, default: 0] += 1
    }

    /// A line for each, the most frequent first.
    var text: [String] {
        let sorted = counts.sorted { left, right in
            if left.value != right.value { return left.value > right.value }
            return (left.key.status, left.key.function, left.key.place) < (
                right.key.status, right.key.function, right.key.place
            )
        }
        return sorted.map {
            DoctorReport.printable("\($0.value)  \($0.key.status)  \($0.key.function)  \($0.key.place)")
        }
    }
}
