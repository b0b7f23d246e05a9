// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Parses the entries of a dictionary into a ``Query`` (Semantics, "Classification of keys" and "Values and
/// combinations").
enum QueryParser {
    /// Sorts a key by its length and its first character.
    static func parse(_ key: String, _ value: PropertyValue, into query: inout Query) throws(RequestFault) {
        do throws(Refusal) {
            guard key.utf16.count != 4 else { return try parseAttribute(key, value, into: &query) }
            switch key.first {
            case "c":
                guard key == PropertyKey.itemClass else { throw unknown(key) }
            case "m" where key.count > 1:
                try refusing(.matchValue) { () throws(KeychainError) in try query.match.set(key, value) }
            case "r":
                try parseReturnFlag(key, value, into: &query)
            case "u":
                try parseUse(key, value, into: &query)
            case "v":
                try parseValue(key, value, into: &query)
            case "f" where key.count > 1:
                break
            default:
                throw unknown(key)
            }
        } catch {
            throw RequestFault(check: error.check, part: .query, key: key, error: error.error)
        }
    }

    private static func parseAttribute(
        _ key: String,
        _ value: PropertyValue,
        into query: inout Query
    ) throws(Refusal) {
        if key == PropertyKey.useDataProtectionKeychain { return }
        guard key != PropertyKey.columnOfItem else { throw unknown(key) }
        guard let column = AttributeName(key).flatMap({ query.schema[$0] }) else {
            throw Refusal(.attributeName, KeychainError(.noSuchAttribute, "the class has no attribute '\(key)'"))
        }
        if column.name == .synchronizable, value == .string(PropertyKey.synchronizableAny) {
            query.scope = .any
            return
        }
        let converted = try refusing(.attributeValue) { () throws(KeychainError) in try column.coerce(value) }
        guard let converted else { return }
        if column.name == .synchronizable {
            query.scope = .exactly(converted)
        } else {
            query.attributes[column.name] = converted
        }
    }

    private static func parseReturnFlag(
        _ key: String,
        _ value: PropertyValue,
        into query: inout Query
    ) throws(Refusal) {
        guard let flag = ReturnFlags(key: key) else { throw Refusal(.returnValue, unknown(key).error) }
        guard case .boolean(let isSet) = value else {
            throw Refusal(.returnValue, .parameter("'\(key)' is not a Boolean"))
        }
        if isSet { query.returns.insert(flag) }
    }

    private static func parseUse(_ key: String, _ value: PropertyValue, into query: inout Query) throws(Refusal) {
        switch key {
        case PropertyKey.useItemList: query.hasItemList = true
        case PropertyKey.useAuthenticationContext:
            guard case .authenticationContext(let context) = value else {
                throw Refusal(.useValue, .parameter("kSecUseAuthenticationContext is not an LAContext"))
            }
            query.context = context
        case PropertyKey.useOperationPrompt:
            // Its type is not checked; only a string can be shown.
            if case .string(let prompt) = value { query.operationPrompt = prompt }
        case PropertyKey.useCredentialReference:
            guard case .data = value else {
                throw Refusal(.useValue, .parameter("kSecUseCredentialReference is not data"))
            }
        case PropertyKey.useAuthenticationUI, PropertyKey.useNoAuthenticationUI:
            break
        default: throw Refusal(.useValue, unknown(key).error)
        }
    }

    private static func parseValue(_ key: String, _ value: PropertyValue, into query: inout Query) throws(Refusal) {
        switch key {
        case PropertyKey.valueData:
            query.data = try refusing(.secretType) { () throws(KeychainError) in
                try value.secret(atMost: query.largestSecret)
            }
            query.isDataTooLarge = query.data == nil
        case PropertyKey.valuePersistentReference: break
        default: throw unknown(key)
        }
    }

    /// The check that an entry does not pass.
    private struct Refusal: Error {
        let check: RequestCheck
        let error: KeychainError

        init(_ check: RequestCheck, _ error: KeychainError) {
            self.check = check
            self.error = error
        }
    }

    private static func refusing<Result>(
        _ check: RequestCheck,
        _ body: () throws(KeychainError) -> Result
    ) throws(Refusal) -> Result {
        do { return try body() } catch { throw Refusal(check, error) }
    }

    private static func unknown(_ key: String) -> Refusal {
        Refusal(.keyKind, .parameter("'\(key)' is not a key that the keychain knows"))
    }
}

extension PropertyValue {
    /// The value of `kSecValueData`; `nil` if it exceeds the size limit of an item.
    ///
    /// - Throws: `errSecParam` if it is not data.
    func secret(atMost limit: Int) throws(KeychainError) -> SecretBytes? {
        switch self {
        case .data(let data): data.count <= limit ? data : nil
        case .oversizedData: nil
        default: throw .parameter("kSecValueData is not data")
        }
    }
}

extension KeychainError {
    /// The error for a secret that exceeds the size limit; it is returned before anything is sealed.
    package static let secretTooLarge = KeychainError(
        .dataTooLarge,
        "the secret is larger than \(ItemLimits.secretByteCount) bytes"
    )
}
