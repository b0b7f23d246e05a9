// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PortableSecurity

/// A cryptographic key that is stored as a key item.
///
/// Most of the primary key follows from the key itself: make the item of a `SecKey` by
/// ``init(_:tag:accessGroup:isSynchronizable:)``, or find it by its tag with ``ItemSelection/all(withTag:)``.
public struct KeyItem: KeychainItem {
    /// The whole primary key.
    public let key: ItemKey

    /// Creates a key item from attributes.
    ///
    /// - Parameters:
    ///   - tag: the application tag.
    ///   - applicationLabel: the label for look-ups: the SHA-1 hash of the public key, for keys that were stored as
    ///     such.
    ///   - keyClass: `kSecAttrKeyClassPrivate` or `kSecAttrKeyClassPublic`.
    ///   - keyType: one of the constants `kSecAttrKeyType…`.
    ///   - sizeInBits: the size.
    ///   - effectiveSizeInBits: the effective size; `nil` for the same.
    ///   - tokenID: the token that holds the key, such as `kSecAttrTokenIDSecureEnclave`; `nil` for the keychain
    ///     itself.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - isSynchronizable: whether it is in the set that iCloud Keychain synchronizes.
    public init(
        tag: String,
        applicationLabel: Data,
        keyClass: CFString,
        keyType: CFString,
        sizeInBits: Int,
        effectiveSizeInBits: Int? = nil,
        tokenID: CFString? = nil,
        accessGroup: String? = nil,
        isSynchronizable: Bool = false
    ) {
        var attributes: [String: ItemKey.Value] = [
            kSecAttrApplicationTag as String: .data(Data(tag.utf8)),
            kSecAttrApplicationLabel as String: .data(applicationLabel),
            kSecAttrKeyClass as String: Self.number(keyClass),
            kSecAttrKeyType as String: Self.number(keyType),
            kSecAttrKeySizeInBits as String: .number(sizeInBits),
            kSecAttrEffectiveKeySize as String: .number(effectiveSizeInBits ?? sizeInBits),
        ]
        attributes[PrimaryKeyTable.tokenID] = tokenID.map { .text($0 as String) }
        key = ItemKey(.key, attributes, accessGroup: accessGroup, isSynchronizable: isSynchronizable)
    }

    /// Creates the item under which a key is stored.
    ///
    /// - Parameters:
    ///   - secKey: the key.
    ///   - tag: the application tag.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - isSynchronizable: whether it is in the set that iCloud Keychain synchronizes.
    public init(_ secKey: SecKey, tag: String, accessGroup: String? = nil, isSynchronizable: Bool = false) {
        var attributes = Self.attributes(of: secKey)
        attributes[kSecAttrApplicationTag as String] = .data(Data(tag.utf8))
        key = ItemKey(.key, attributes, accessGroup: accessGroup, isSynchronizable: isSynchronizable)
    }

    /// The key of a primary key; `nil` for a primary key of another class.
    public init?(key: ItemKey) {
        guard key.itemClass == .key else { return nil }
        self.key = key
    }

    /// The application tag.
    public var tag: String { key.attributes[kSecAttrApplicationTag as String]?.text ?? "" }

    /// The SHA-1 hash of the public key, unless the app stored something else.
    public var applicationLabel: Data { key.attributes[kSecAttrApplicationLabel as String]?.bytes ?? Data() }

    /// Whether it is the private half.
    public var isPrivate: Bool { key.attributes[kSecAttrKeyClass as String] == Self.number(kSecAttrKeyClassPrivate) }

    /// The token that holds the key, such as the text of `kSecAttrTokenIDSecureEnclave`; `nil` for the keychain itself.
    public var tokenID: String? { key.attributes[PrimaryKeyTable.tokenID]?.text }

    /// The attributes of a key object.
    static func attributes(of secKey: SecKey) -> [String: ItemKey.Value] {
        let brought = SecKeyCopyAttributes(secKey) as? [String: Any] ?? [:]
        var attributes: [String: ItemKey.Value] = [:]
        for name in [kSecAttrKeyClass, kSecAttrKeyType, kSecAttrKeySizeInBits, kSecAttrEffectiveKeySize] {
            attributes[name as String] = ItemKey.Value(brought[name as String]).map(Self.number)
        }
        attributes[kSecAttrApplicationLabel as String] = ItemKey.Value(brought[kSecAttrApplicationLabel as String])
        attributes[PrimaryKeyTable.tokenID] = ItemKey.Value(brought[PrimaryKeyTable.tokenID])
        return attributes
    }

    /// The constants are numerals in strings, and the keychain keeps numbers.
    private static func number(_ constant: CFString) -> ItemKey.Value { number(.text(constant as String)) }

    private static func number(_ value: ItemKey.Value) -> ItemKey.Value {
        guard case .text(let text) = value, let number = Int(text) else { return value }
        return .number(number)
    }
}
