// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The values of a dictionary as they are encoded for transmission.
///
/// This is the last step before the keychain proper examines the dictionary (Semantics, "Conversion and comparison of
/// values" and "Order of checks").
enum RequestEncoding {
    /// The value of a key as it is sent, with every number an integer; `nil` for a value that is sent unchanged.
    ///
    /// - Throws: `errSecDecode` for a number, at any depth, that is not a 64-bit integer; `errSecParam` for an object
    ///   without an encoding, and for a text with too many combining marks.
    static func encoded(
        _ key: String,
        _ value: PropertyValue,
        in part: RequestPart
    ) throws(KeychainError) -> PropertyValue? {
        guard !key.hasTooManyMarks else { throw .tooManyMarks }
        switch value {
        case .string(let text):
            guard !text.hasTooManyMarks else { throw .tooManyMarks }
            return nil
        case .null, .boolean, .data, .date, .uuid, .number(.integer), .nested(.encodable): return nil
        case .oversizedData where key == PropertyKey.valueData: return nil
        default: return isTakenOut(key, value, in: part) ? nil : try sent(value)
        }
    }

    /// Whether a key is a number that has no encoding.
    static func isFractional(_ key: PropertyDictionary.ForeignKey) -> Bool {
        if case .number(let number) = key { number.exactInteger == nil } else { false }
    }

    static let fraction = KeychainError(.decode, "a number is not an integer of 64 bits")

    /// The values that the client removes from a query, or encodes, under this key only.
    private static func isTakenOut(_ key: String, _ value: PropertyValue, in part: RequestPart) -> Bool {
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
