// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

/// Parses dictionaries in the notation of traces and cases.
///
/// A secret is decoded as zeros of its size, at most ``maximumZeroCount``. Hidden values are not in the dictionary, and
/// their keys are recorded; under an unknown key, an empty value of its type is used, because the call fails because of
/// the key.
struct TraceDecoder {
    /// The keys of values that were hidden.
    private(set) var hiddenKeys: Set<String> = []

    /// The maximum number of zeros for a secret: a line states its size in a few bytes, and there may be many lines.
    static let maximumZeroCount = 4_096

    /// Reads a dictionary.
    mutating func dictionary(
        _ json: JSONValue,
        _ nonStringKeys: JSONValue? = nil
    ) throws(TraceError) -> PropertyDictionary {
        guard let members = json.members else { throw .malformed("a dictionary is no object") }
        var dictionary = PropertyDictionary([:] as [String: PropertyValue])
        for (name, json) in members {
            guard let key = CaseNotation.key(named: name) else { throw .malformed("an unknown constant as a key") }
            if let value = try value(json) {
                dictionary[key] = value
            } else if name.hasPrefix(CaseNotation.rawPrefix), !TraceEncoder.isKnown(key) {
                dictionary[key] = Self.placeholder(json)
            } else {
                hiddenKeys.insert(key)
            }
        }
        for key in nonStringKeys?.elements ?? [] {
            dictionary.foreignKeys.insert(key.number.map { .number(Self.number(key, $0)) } ?? .other)
        }
        return dictionary
    }

    /// Reads a value; `nil` for one that was hidden.
    private mutating func value(_ json: JSONValue) throws(TraceError) -> PropertyValue? {
        switch json {
        case .null: return .null
        case .boolean(let flag): return .boolean(flag)
        case .integer(let number): return .number(.integer(Int64(number)))
        case .real(let number): return .number(.real(number))
        case .string(let text) where text.hasPrefix(CaseNotation.constantPrefix):
            guard let value = CaseNotation.constant(named: text) else { throw .malformed("an unknown constant") }
            return .string(value)
        case .string(let text): return .string(text)
        case .array: throw .malformed("a bare array is no value")
        case .object(let members):
            guard let (kind, content) = members.first, members.count == 1 else {
                throw .malformed("a value has one member that names its kind")
            }
            return try value(kind, content)
        }
    }

    private mutating func value(_ kind: String, _ content: JSONValue) throws(TraceError) -> PropertyValue? {
        switch kind {
        case "string": return .string(try text(content))
        case "data": return .data(try data(content))
        case "date":
            guard let date = CaseNotation.date(from: try text(content)) else {
                throw .malformed("a date is not ISO 8601")
            }
            return .date(Timestamp(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate))
        case "number":
            guard let number = content.number else { throw .malformed("a number is none") }
            return .number(Self.number(content, number))
        case "array":
            guard let elements = content.elements else { throw .malformed("an array is none") }
            var values: [PropertyValue] = []
            for element in elements { if let value = try value(element) { values.append(value) } }
            return .array(values)
        case "dictionary": return .nested(.encodable)
        case "uuid": return .uuid(try text(content))
        case "secret":
            if let type = content.members?["type"]?.string { return Self.placeholder(ofType: type) }
            return Self.zeros(content.integer)
        case "redacted", "hash": return nil
        case "accessControl": return .accessControl(try accessControl(content))
        case "context": return .authenticationContext(context(content))
        case "certificate": return .reference(.certificate(CertificateReference(data: try data(content))))
        case "key": return .reference(.key(try key(content)))
        case "identity":
            guard let members = content.members, let certificate = members["certificate"], let key = members["key"]
            else { throw .malformed("an identity has a certificate and a key") }
            return .reference(
                .identity(
                    IdentityReference(
                        certificate: CertificateReference(data: try data(certificate)),
                        key: try self.key(key)
                    )
                )
            )
        case "policy":
            guard let members = content.members else { throw .malformed("a policy is no object") }
            return .policy(Self.policy(members))
        case "nested":
            switch content.string {
            case "fractional": return .nested(.fractional)
            case "unencodable": return .nested(.unencodable)
            default: return .nested(.encodable)
            }
        case "object": return .object(try text(content))
        default: throw .malformed("an unknown kind of value")
        }
    }

    private static func policy(_ members: [String: JSONValue]) -> CertificatePolicy {
        let (name, isServer, host) = (members["name"]?.string, members["server"]?.boolean, members["host"]?.string)
        switch name {
        case "tls"?: return .tls(isServer: isServer ?? true, host: host)
        case "revocation"?: return .revocation(UInt64(clamping: members["flags"]?.integer ?? 0))
        case let name?:
            guard let purpose = CertificatePolicy.Purpose(rawValue: name) else { return .basicX509 }
            return .purpose(purpose, isServer: isServer ?? true, name: host)
        case nil: return .basicX509
        }
    }

    /// A placeholder for an unrecorded secret; sizes that no item can hold are not created.
    private static func zeros(_ count: Int?) -> PropertyValue {
        let count = max(0, count ?? 0)
        guard count <= ItemLimits.secretByteCount else { return .oversizedData(count) }
        return .data(SecretBytes(count: min(count, maximumZeroCount)) { _ in })
    }

    /// A value of the recorded type of an unrecorded value.
    private static func placeholder(_ json: JSONValue) -> PropertyValue {
        placeholder(ofType: json.members?["redacted"]?.members?["type"]?.string ?? "string")
    }

    private static func placeholder(ofType type: String) -> PropertyValue {
        switch type {
        case "null": .null
        case "bool": .boolean(false)
        case "number": .number(.integer(0))
        case "data": .data(SecretBytes())
        case "date": .date(.referenceDate)
        case "array": .array([])
        case "dictionary": .nested(.encodable)
        case "context": .authenticationContext(AuthenticationContext())
        case "policy": .policy(.basicX509)
        case "string": .string("")
        default: .object(type)
        }
    }

    private static func number(_ json: JSONValue, _ value: Double) -> KeychainNumber {
        json.integer.map { .integer(Int64($0)) } ?? .real(value)
    }

    private func text(_ json: JSONValue) throws(TraceError) -> String {
        guard let text = json.string else { throw .malformed("a text is no string") }
        return text
    }

    private func data(_ json: JSONValue) throws(TraceError) -> SecretBytes {
        guard let data = Data(base64Encoded: try text(json)) else { throw .malformed("data is not base64") }
        return data.withUnsafeBytes { SecretBytes(copying: $0) }
    }

    private func accessControl(_ json: JSONValue) throws(TraceError) -> AccessControl {
        guard let members = json.members, let name = members["protection"]?.string,
            let protection = CaseNotation.constant(named: name).flatMap(Accessibility.init(rawValue:))
        else { throw .malformed("an access control has no protection") }
        guard let names = members["flags"]?.elements else { return AccessControl(synthesizedFor: protection) }
        var flags: AccessControlFlags = []
        for name in names {
            guard let flag = CaseNotation.flags.first(where: { $0.name == name.string })?.flag else {
                throw .malformed("an unknown flag of an access control")
            }
            flags.insert(flag)
        }
        guard let constraints = AccessConstraints(flags) else { throw .malformed("flags contradict each other") }
        return AccessControl(protection: protection, constraints: constraints)
    }

    private func context(_ json: JSONValue) -> AuthenticationContext {
        var context = AuthenticationContext()
        context.settings.interactionNotAllowed = json.members?["interactionNotAllowed"]?.boolean ?? false
        context.isInvalid = json.members?["isInvalid"]?.boolean ?? false
        return context
    }

    private mutating func key(_ json: JSONValue) throws(TraceError) -> KeyReference {
        guard let members = json.members else { throw .malformed("a key is no object") }
        let entries = try members["attributes"].map { (json) throws(TraceError) in try dictionary(json).entries }
        let attributes = entries?.dictionary ?? [:]
        guard case .data(let secret)? = members["secret"].map({ Self.zeros($0.integer) }) else {
            return KeyReference(attributes: attributes, data: nil)
        }
        return KeyReference(attributes: attributes, data: secret)
    }
}
