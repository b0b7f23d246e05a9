// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A dictionary as it is encoded in order to be sent: the last step before the keychain proper looks at it
/// (Semantics, "Conversion and comparison of values" and "Order of checks").
enum RequestEncoding {
    /// The dictionary with every number as the integer that it is sent as.
    ///
    /// - Throws: `errSecDecode` for a number that is no integer of 64 bits, wherever it stands; `errSecParam` for an object that
    ///   has no encoding.
    static func encoded(_ dictionary: PropertyDictionary) throws(KeychainError) -> PropertyDictionary {
        for case .number(let number) in dictionary.foreignKeys where number.exactInteger == nil { throw fraction }
        var encoded = dictionary
        for (key, value) in dictionary.entries where !isTakenOut(key, value) {
            switch value {
            case .number, .array: encoded[key] = try sent(value)
            default: _ = try sent(value, oversizedDataIsKept: key == PropertyKey.valueData)
            }
        }
        return encoded
    }

    /// What the client takes out of a dictionary, or has an encoding for, under this key alone.
    private static func isTakenOut(_ key: String, _ value: PropertyValue) -> Bool {
        switch (key, value) {
        case (PropertyKey.useAuthenticationUI, _), (PropertyKey.useNoAuthenticationUI, _),
            (PropertyKey.useOperationPrompt, _), (PropertyKey.useAuthenticationContext, _),
            (PropertyKey.matchPolicy, .policy), (AttributeName.accessControl.description, .accessControl):
            true
        default: false
        }
    }

    private static func sent(
        _ value: PropertyValue,
        oversizedDataIsKept: Bool = false
    ) throws(KeychainError) -> PropertyValue {
        switch value {
        case .number(let number):
            guard let integer = number.exactInteger else { throw fraction }
            return .number(.integer(integer))
        case .array(let members):
            return .array(try members.map { (member) throws(KeychainError) in try sent(member) })
        case .nested(.fractional):
            throw fraction
        case .oversizedData(let count) where !oversizedDataIsKept:
            throw KeychainError(.dataTooLarge, "\(count) bytes are more than an item can hold")
        case .nested(.unencodable), .accessControl, .authenticationContext, .reference, .policy, .object:
            throw .parameter("a value is an object that cannot be sent to the keychain")
        case .null, .boolean, .string, .data, .oversizedData, .date, .uuid, .nested(.encodable):
            return value
        }
    }

    private static let fraction = KeychainError(.decode, "a number is not an integer of 64 bits")
}
