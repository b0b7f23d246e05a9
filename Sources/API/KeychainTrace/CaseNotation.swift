// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainCore

/// The spelling of keys and values in conformance cases, traces and scenarios (Documentation/Trace.md, "A line").
package enum CaseNotation {
    /// The prefix of a key that is not a constant.
    package static let rawPrefix = "raw:"

    /// The prefix of a constant's name.
    package static let constantPrefix = "kSec"

    /// The spelling of a key.
    package static func name(ofKey key: String) -> String { keyNames[key] ?? rawPrefix + key }

    /// The key with a name; `nil` for an unknown constant.
    package static func key(named name: String) -> String? {
        name.hasPrefix(rawPrefix) ? String(name.dropFirst(rawPrefix.count)) : constants[name]
    }

    /// The value of a constant; `nil` if there is none with the name.
    package static func constant(named name: String) -> String? { constants[name] }

    /// The notation of a string under a key: the name of a constant if the key takes one of its kind.
    static func spelling(of text: String, under key: String) -> JSONValue {
        if let name = name(ofConstant: text, under: key) { return .string(name) }
        return text.hasPrefix(constantPrefix) ? .object(["string": .string(text)]) : .string(text)
    }

    /// The name of the constant with this string under a key; `nil` if the key takes no such constant.
    package static func name(ofConstant text: String, under key: String) -> String? { valueNames[key]?[text] }

    private static let constants: [String: String] = Dictionary(
        ConstantTable.rows.map { ($0.name, $0.value) },
        uniquingKeysWith: { first, _ in first }
    )

    private static let keyNames: [String: String] = {
        let keys: Set<ConstantTable.Group> = [.match, .returnKey, .valueKey, .useKey, .attribute]
        let rows = ConstantTable.rows.filter { keys.contains($0.group) || $0.value == PropertyKey.itemClass }
        return Dictionary(rows.map { ($0.value, $0.name) }, uniquingKeysWith: { first, _ in first })
    }()

    private static let valueNames: [String: [String: String]] = {
        let groups: [String: Set<ConstantTable.Group>] = [
            PropertyKey.itemClass: [.itemClass], "pdmn": [.accessibility], "ptcl": [.protocolType],
            "atyp": [.authenticationType], "type": [.keyType], "kcls": [.keyClass], "sync": [.token], "tkid": [.token],
            "agrp": [.token], PropertyKey.matchLimit: [.match], PropertyKey.useAuthenticationUI: [.useKey],
        ]
        return groups.mapValues { groups in
            let rows = ConstantTable.rows.filter { groups.contains($0.group) }
            return Dictionary(rows.map { ($0.value, $0.name) }, uniquingKeysWith: { first, _ in first })
        }
    }()

    // MARK: Dates

    /// A date in UTC with milliseconds: `2001-02-03T04:05:06.789Z`.
    package static func text(of date: Timestamp) -> String {
        Date(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        )
    }

    /// Reads `2001-02-03T04:05:06Z`, also with a fraction of a second after the seconds.
    package static func date(from text: String) -> Date? {
        var whole = text
        var fraction = 0.0
        if let point = text.firstIndex(of: ".") {
            let end = text[point...].dropFirst().firstIndex { !$0.isNumber } ?? text.endIndex
            whole.removeSubrange(point..<end)
            fraction = Double("0" + text[point..<end]) ?? 0
        }
        return (try? Date(whole, strategy: .iso8601))?.addingTimeInterval(fraction)
    }

    // MARK: Access controls

    /// The flags of access controls by the names of Swift.
    package static let flags: [(name: String, flag: AccessControlFlags)] = [
        ("userPresence", .userPresence), ("biometryAny", .biometryAny), ("biometryCurrentSet", .biometryCurrentSet),
        ("devicePasscode", .devicePasscode), ("companion", .companion), ("or", .or), ("and", .and),
        ("privateKeyUsage", .privateKeyUsage), ("applicationPassword", .applicationPassword),
    ]
}
