// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A value that a password item can hold.
///
/// `Data`, `[UInt8]`, `String`, `SymmetricKey` and the private keys of CryptoKit conform. Keys of the Secure Enclave
/// conform where CryptoKit has them: their bytes are the key, sealed by the device. A `Codable` type conforms by saying
/// so, and is stored as JSON:
///
/// ```swift
/// struct Login: Codable, KeychainStorable {
///     var user: String
///     var token: String
/// }
/// ```
public protocol KeychainStorable {
    /// Creates the value from the stored bytes.
    ///
    /// - Throws: An error if the bytes are not such a value. Its text is not shown, because it may quote the bytes.
    init(keychainRepresentation bytes: Data) throws

    /// The bytes to be stored.
    var keychainRepresentation: Data { get throws }
}

extension KeychainStorable where Self: Codable {
    /// Decodes the value from JSON.
    public init(keychainRepresentation bytes: Data) throws {
        self = try JSONDecoder().decode(Self.self, from: bytes)
    }

    /// The value as JSON.
    public var keychainRepresentation: Data {
        get throws { try JSONEncoder().encode(self) }
    }
}

extension Array: KeychainStorable where Element: Codable {
    /// The bytes themselves for `[UInt8]`; any other array from JSON.
    public init(keychainRepresentation bytes: Data) throws {
        // Not a cast alone: an empty array of any type is an empty [UInt8].
        if Element.self == UInt8.self, let array = [UInt8](bytes) as? Self {
            self = array
        } else {
            self = try JSONDecoder().decode(Self.self, from: bytes)
        }
    }

    /// The bytes themselves of `[UInt8]`; any other array as JSON.
    public var keychainRepresentation: Data {
        get throws {
            if Element.self == UInt8.self, let bytes = self as? [UInt8] { return Data(bytes) }
            return try JSONEncoder().encode(self)
        }
    }
}

extension Dictionary: KeychainStorable where Key: Codable, Value: Codable {}

extension Data: KeychainStorable {
    /// The bytes themselves.
    public init(keychainRepresentation bytes: Data) { self = bytes }

    /// The bytes themselves.
    public var keychainRepresentation: Data { self }
}

extension String: KeychainStorable {
    /// Text of UTF-8.
    public init(keychainRepresentation bytes: Data) throws {
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw CocoaError(.fileReadInapplicableStringEncoding)
        }
        self = text
    }

    /// The text as UTF-8.
    public var keychainRepresentation: Data { Data(utf8) }
}
