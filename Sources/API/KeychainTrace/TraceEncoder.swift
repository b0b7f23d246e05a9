// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainCore

/// Spells dictionaries for a trace, without secrets.
struct TraceEncoder {
    /// The key for hiding values; `nil` if they are shown.
    var hashKey: SymmetricKey?

    /// A text or data of more bytes is not shown.
    static let longestValue = 4_096

    /// Keys whose values are never secret: attributes, conditions and flags, except for values stored under a key of
    /// their own.
    private static let shownKeys: Set<String> = {
        let attributes = ItemClass.stored.flatMap { ItemSchema.of($0).columns.map(\.name.description) }
        let groups: Set<ConstantTable.Group> = [.match, .returnKey, .attribute, .useKey]
        let named = ConstantTable.rows.filter { groups.contains($0.group) }.map(\.value)
        let others = [
            PropertyKey.itemClass, PropertyKey.valueReference, PropertyKey.valuePersistentReference,
            PropertyKey.useDataProtectionKeychain,
        ]
        return Set(attributes + named + others).subtracting([PropertyKey.valueData])
    }()

    /// Values that are never hashed, because they reveal nothing about an item: constants for the class, conditions and
    /// flags, levels, and the numbers that represent them.
    private static func isPlain(_ value: PropertyValue, under key: String) -> Bool {
        switch value {
        case .string(let text): CaseNotation.name(ofConstant: text, under: key) != nil
        case .number: key == PropertyKey.matchLimit || ["sync", "kcls", "type"].contains(key)
        default: false
        }
    }

    /// The spelling of a dictionary.
    func json(_ dictionary: PropertyDictionary) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for (key, value) in dictionary.entries { members[CaseNotation.name(ofKey: key)] = json(value, under: key) }
        return .object(members)
    }

    /// The keys of a dictionary that are not strings; `nil` for none.
    func nonStringKeys(_ dictionary: PropertyDictionary) -> JSONValue? {
        guard !dictionary.foreignKeys.isEmpty else { return nil }
        return .array(
            dictionary.foreignKeys.map { key in if case .number(let number) = key { json(number) } else { .null } }
        )
    }

    private func json(_ value: PropertyValue, under key: String) -> JSONValue {
        if Self.secretKeys.contains(key) { return secret(value) }
        guard Self.shownKeys.contains(key), Self.isShown(value, under: key) else { return redacted(value) }
        if hashKey != nil, case .policy(let policy) = value, policy.name != nil { return redacted(value) }
        if let hashKey, !Self.isPlain(value, under: key), let bytes = value.hashedBytes {
            let code = HMAC<SHA256>.authenticationCode(for: Array(key.utf8) + [0] + bytes, using: hashKey)
            return .object(["hash": .string(code.prefix(8).hexadecimal)])
        }
        return value.byteCount > Self.longestValue ? redacted(value) : shown(value, under: key)
    }

    /// The keys for secrets.
    private static let secretKeys: Set<String> = [PropertyKey.valueData, PropertyKey.useCredentialReference]

    /// Whether a value has a type that its key accepts: a value of another type may be a misplaced secret.
    private static func isShown(_ value: PropertyValue, under key: String) -> Bool {
        switch (key, value) {
        case (PropertyKey.valueReference, .reference): true
        case (PropertyKey.valueReference, _): false
        case (PropertyKey.valuePersistentReference, .data(let bytes)): isPersistentReference(bytes)
        case (PropertyKey.valuePersistentReference, .string), (PropertyKey.valuePersistentReference, .array): false
        case (PropertyKey.itemClass, .string(let text)), (PropertyKey.matchLimit, .string(let text)):
            CaseNotation.name(ofConstant: text, under: key) != nil
        case (_, .string(let text)) where key.hasPrefix("u_") || key.hasPrefix("r_"):
            CaseNotation.name(ofConstant: text, under: key) != nil
        case (_, .data), (_, .uuid), (_, .array): !(key.hasPrefix("u_") || key.hasPrefix("r_"))
        default: true
        }
    }

    /// Whether bytes begin as persistent references do (Semantics, "Persistent references").
    private static func isPersistentReference(_ bytes: SecretBytes) -> Bool {
        let beginning = String(decoding: bytes.unprotectedCopy.prefix(4), as: UTF8.self)
        return ItemClass(rawValue: beginning) != nil && [12, 20].contains(bytes.count) || beginning == "tkpr"
    }

    /// Whether the keychain knows a key.
    static func isKnown(_ key: String) -> Bool { shownKeys.contains(key) || secretKeys.contains(key) }

    private func secret(_ value: PropertyValue) -> JSONValue {
        switch value {
        case .data, .oversizedData: .object(["secret": .integer(value.byteCount)])
        default: .object(["secret": .object(["type": .string(value.typeName), "bytes": .integer(value.byteCount)])])
        }
    }

    private func shown(_ value: PropertyValue, under key: String) -> JSONValue {
        switch value {
        case .null: return .null
        case .boolean(let flag): return .boolean(flag)
        case .number(let number): return json(number)
        case .string(let text): return CaseNotation.spelling(of: text, under: key)
        case .data(let bytes): return .object(["data": base64(bytes)])
        case .date(let date): return .object(["date": .string(CaseNotation.text(of: date))])
        case .uuid(let text): return .object(["uuid": .string(text)])
        case .array(let members): return .object(["array": .array(members.map { json($0, under: key) })])
        case .accessControl(let accessControl): return .object(["accessControl": json(accessControl)])
        case .authenticationContext(let context): return .object(["context": json(context)])
        case .reference(let reference): return json(reference)
        case .policy(let policy): return .object(["policy": .object(members(policy))])
        case .nested(let encodability): return .object(["nested": .string("\(encodability)")])
        case .oversizedData(let count): return .object(["secret": .integer(count)])
        case .object(let type): return .object(["object": .string(type)])
        case .keychain: return .object(["object": .string("SecKeychain")])
        case .access: return .object(["object": .string("SecAccess")])
        }
    }

    private func members(_ policy: CertificatePolicy) -> [String: JSONValue] {
        func members(_ name: String, isServer: Bool, host: String?) -> [String: JSONValue] {
            ["name": .string(name), "server": .boolean(isServer), "host": host.map { .string($0) } ?? .null]
        }
        switch policy {
        case .basicX509: return ["name": .string("basicX509")]
        case .tls(let isServer, let host): return members("tls", isServer: isServer, host: host)
        case .purpose(let purpose, let isServer, let name):
            return members(purpose.rawValue, isServer: isServer, host: name)
        case .revocation(let flags):
            return ["name": .string("revocation"), "flags": .integer(Int(truncatingIfNeeded: flags))]
        }
    }

    private func redacted(_ value: PropertyValue) -> JSONValue {
        .object(["redacted": .object(["type": .string(value.typeName), "bytes": .integer(value.byteCount)])])
    }

    private func json(_ number: KeychainNumber) -> JSONValue {
        switch number {
        case .integer(let value): .integer(Int(value))
        case .unsigned(let value): .real(Double(value))
        case .real(let value):
            value.isFinite ? .object(["number": .real(value)]) : .object(["object": .string("\(value)")])
        }
    }

    private func base64(_ bytes: SecretBytes) -> JSONValue {
        .string(Data(bytes.unprotectedCopy).base64EncodedString())
    }

    private func json(_ accessControl: AccessControl) -> JSONValue {
        var members: [String: JSONValue] = ["protection": .string(accessControl.protection.constantName)]
        if let flags = accessControl.constraints?.flags {
            members["flags"] = .array(CaseNotation.flags.filter { flags.contains($0.flag) }.map { .string($0.name) })
        }
        return .object(members)
    }

    private func json(_ context: AuthenticationContext) -> JSONValue {
        .object([
            "interactionNotAllowed": .boolean(context.settings.interactionNotAllowed),
            "hasApplicationPassword": .boolean(context.applicationPassword != nil),
            "isInvalid": .boolean(context.isInvalid),
        ])
    }

    private func json(_ reference: ItemReference) -> JSONValue {
        switch reference {
        case .key(let key): .object(["key": json(key)])
        case .certificate(let certificate): .object(["certificate": base64(certificate.data)])
        case .identity(let identity):
            .object([
                "identity": .object(["certificate": base64(identity.certificate.data), "key": json(identity.key)])
            ])
        case .keychainItem: .object(["object": .string("SecKeychainItem")])
        }
    }

    private func json(_ key: KeyReference) -> JSONValue {
        var members = ["attributes": json(PropertyDictionary(key.attributes))]
        members["secret"] = key.data.map { .integer($0.count) }
        return .object(members)
    }
}

extension PropertyValue {
    fileprivate var byteCount: Int {
        switch self {
        case .string(let text), .uuid(let text), .object(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .oversizedData(let count): count
        case .array(let members): members.reduce(0) { $0 + $1.byteCount }
        case .keychain(let path): path.utf8.count
        case .null, .boolean, .number, .date, .accessControl, .authenticationContext, .reference, .policy, .access,
            .nested:
            0
        }
    }

    fileprivate var typeName: String {
        switch self {
        case .null: "null"
        case .boolean: "bool"
        case .number: "number"
        case .string, .uuid: "string"
        case .data, .oversizedData: "data"
        case .date: "date"
        case .array: "array"
        case .accessControl: "accessControl"
        case .authenticationContext: "context"
        case .reference(.key): "key"
        case .reference(.certificate): "certificate"
        case .reference(.identity): "identity"
        case .policy: "policy"
        case .nested: "dictionary"
        case .object, .keychain, .access, .reference(.keychainItem): "object"
        }
    }

    /// The bytes of a value for hashing, which distinguish values of different types.
    fileprivate var hashedBytes: [UInt8]? {
        switch self {
        case .string(let text), .uuid(let text): [1] + text.utf8
        case .data(let bytes): [2] + bytes.unprotectedCopy
        case .number(let number): [3] + "\(number)".utf8
        case .reference(.certificate(let certificate)): [4] + certificate.data.unprotectedCopy
        case .reference(.identity(let identity)): [5] + identity.certificate.data.unprotectedCopy
        case .date(let date): [6] + "\(date.secondsSinceReferenceDate)".utf8
        case .null, .boolean, .array, .accessControl, .authenticationContext, .reference, .policy, .keychain, .access,
            .nested, .oversizedData, .object:
            nil
        }
    }
}
