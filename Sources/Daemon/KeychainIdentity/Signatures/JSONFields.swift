// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The members of an untrusted object, all of which are known and have the right type.
struct JSONFields {
    private let members: [String: JSONValue]

    /// Reads an object with a version.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - names: the members that must be there, besides `version`.
    ///   - optional: the members that may be there.
    ///   - versions: those that this version of the product knows.
    /// - Throws: ``IdentityError`` for anything but such an object.
    init(
        _ bytes: some Sequence<UInt8>,
        _ names: Set<String>,
        optional: Set<String> = [],
        versions: ClosedRange<Int>
    ) throws(IdentityError) {
        let value: JSONValue
        do { value = try JSONParser.parse(bytes) } catch { throw IdentityError("it is not JSON: \(error)") }
        guard let members = value.members else { throw IdentityError("it is not a JSON object") }
        self.members = members
        guard versions.contains(try integer("version")) else {
            throw IdentityError("it is of a version that this version of swift-keychain does not know")
        }
        let missing = names.subtracting(members.keys).sorted()
        guard missing.isEmpty else { throw IdentityError("'\(missing[0])' is missing") }
        let unknown = Set(members.keys).subtracting(names).subtracting(optional).subtracting(["version"]).sorted()
        guard unknown.isEmpty else { throw IdentityError("unknown member '\(unknown[0])'") }
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    /// The raw value; null if there is none.
    subscript(name: String) -> JSONValue { members[name] ?? .null }

    func string(_ name: String) throws(IdentityError) -> String {
        guard let text = self[name].string, !text.isEmpty, !text.utf8.contains(0) else {
            throw IdentityError("'\(name)' is not a string")
        }
        return text
    }

    func integer(_ name: String) throws(IdentityError) -> Int {
        guard let number = self[name].integer, number >= 0 else { throw IdentityError("'\(name)' is not a number") }
        return number
    }

    /// A Boolean; false if there is none.
    func flag(_ name: String) throws(IdentityError) -> Bool {
        guard has(name) else { return false }
        guard let flag = self[name].boolean else { throw IdentityError("'\(name)' is not a Boolean") }
        return flag
    }

    func strings(_ name: String) throws(IdentityError) -> [String] {
        guard let elements = self[name].elements else { throw IdentityError("'\(name)' is not an array") }
        let strings = elements.compactMap(\.string).filter { !$0.isEmpty && !$0.utf8.contains(0) }
        guard strings.count == elements.count, Set(strings.map { Array($0.utf8) }).count == strings.count else {
            throw IdentityError("'\(name)' is not an array of distinct strings")
        }
        return strings
    }

    func team(_ name: String = "team") throws(IdentityError) -> TeamIdentifier {
        guard let team = TeamIdentifier(try string(name)) else {
            throw IdentityError("'\(name)' is not a team identifier")
        }
        return team
    }

    func key(_ name: String) throws(IdentityError) -> TeamPublicKey {
        guard let key = TeamPublicKey(try string(name)) else { throw IdentityError("'\(name)' is not a public key") }
        return key
    }

    func digest(_ name: String) throws(IdentityError) -> SHA256Value {
        guard let digest = SHA256Value(try string(name)) else { throw IdentityError("'\(name)' is not a SHA-256") }
        return digest
    }

    /// A time in UTC, such as `2026-11-23T03:00:00Z` (RFC 3339).
    func date(_ name: String) throws(IdentityError) -> String {
        let text = try string(name)
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        let isDate =
            text.utf8.count == pattern.count
            && zip(text.utf8, pattern).allSatisfy { byte, sample in
                sample == UInt8(ascii: "0")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == sample
            }
        guard isDate else { throw IdentityError("'\(name)' is not a time in UTC, such as 2026-11-23T03:00:00Z") }
        return text
    }
}
