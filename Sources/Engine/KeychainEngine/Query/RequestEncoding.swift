// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The values of a dictionary as they are encoded in order to be sent: the last step before the keychain proper looks
/// at it (Semantics, "Conversion and comparison of values" and "Order of checks").
enum RequestEncoding {
    /// The value of a key as it is sent, with every number an integer; `nil` for one that is sent as it is.
    ///
    /// - Throws: `errSecDecode` for a number that is no integer of 64 bits, wherever it stands; `errSecParam` for an
    ///   object that has no encoding, and for a text with too many combining marks.
    static func encoded(
        _ key: String,
        _ value: PropertyValue,
        _ part: RequestPart
    ) throws(KeychainError) -> PropertyValue? {
        guard !key.hasTooManyMarks else { throw .tooManyMarks }
        switch value {
        case .string(let text):
            guard !text.hasTooManyMarks else { throw .tooManyMarks }
            return nil
        case .null, .boolean, .data, .date, .uuid, .number(.integer), .nested(.encodable): return nil
        case .oversizedData where key == PropertyKey.valueData: return nil
        default: return isTakenOut(key, value, part) ? nil : try sent(value)
        }
    }

    /// Whether a key is a number that has no encoding.
    static func isFractional(_ key: PropertyDictionary.ForeignKey) -> Bool {
        if case .number(let number) = key { number.exactInteger == nil } else { false }
    }

    static let fraction = KeychainError(.decode, "a number is not an integer of 64 bits")

    /// What the client takes out of a query, or has an encoding for, under this key alone.
    private static func isTakenOut(_ key: String, _ value: PropertyValue, _ part: RequestPart) -> Bool {
        switch (key, value) {
        case (PropertyKey.useAuthenticationUI, _), (PropertyKey.useNoAuthenticationUI, _),
            (PropertyKey.useOperationPrompt, _), (PropertyKey.useAuthenticationContext, _):
            part == .query
        case (PropertyKey.matchPolicy, .policy), (PropertyKey.accessControl, .accessControl): true
        default: false
        }
    }

    private static func sent(_ value: PropertyValue) throws(KeychainError) -> PropertyValue {
        switch value {
        case .number(let number):
            guard let integer = number.exactInteger else { throw fraction }
            return .number(.integer(integer))
        case .array(let members):
            return .array(try members.map { (member) throws(KeychainError) in try sent(member) })
        case .nested(.fractional):
            throw fraction
        case .oversizedData(let count):
            throw KeychainError(.dataTooLarge, "\(count) bytes are more than an item can hold")
        case .nested(.unencodable), .accessControl, .authenticationContext, .reference, .policy, .keychain,
            .access, .object:
            throw .parameter("a value is an object that cannot be sent to the keychain")
        case .string(let text):
            guard !text.hasTooManyMarks else { throw .tooManyMarks }
            return value
        case .null, .boolean, .data, .date, .uuid, .nested(.encodable):
            return value
        }
    }
}
