// SPDX-License-Identifier: Apache-2.0

/// The keychains of a Mac that a call reaches.
///
/// The query, or the dictionary of an add, determines them before every other check (Semantics, "The macOS front end").
package struct KeychainRoute: Sendable, Hashable {
    /// Whether the call reaches the data protection keychain.
    package var reachesDataProtection: Bool

    /// Whether the call reaches the file-based keychains.
    package var reachesFile: Bool

    /// Whether the call requests the data protection keychain by the flag, or by an attribute that implies it.
    package var isFlagged: Bool

    /// A contradiction: `errSecParam`, and the call reaches no keychain.
    package static let invalid = KeychainRoute(reachesDataProtection: false, reachesFile: false)

    /// A route.
    package init(reachesDataProtection: Bool = true, reachesFile: Bool = true, isFlagged: Bool = false) {
        self.reachesDataProtection = reachesDataProtection
        self.reachesFile = reachesFile
        self.isFlagged = isFlagged
    }

    /// The route of a call by its query.
    package init(_ query: PropertyDictionary, _ function: ItemFunction) {
        let flag = query[PropertyKey.useDataProtectionKeychain].map(\.isTrueForRouting)
        let isImplied =
            query[AttributeName.sharingGroup.description] != nil
            || query[PropertyKey.useSystemKeychainAlways]?.isTrueForRouting ?? false
        switch (isImplied, flag) {
        case (true, false?): self = .invalid
        case (true, _), (false, true?): self.init(reachesFile: false, isFlagged: true)
        case (false, false?): self.init(reachesDataProtection: false)
        case (false, nil): self.init(withoutFlag: query, function)
        }
    }

    private init(withoutFlag query: PropertyDictionary, _ function: ItemFunction) {
        self.init()
        switch query[PropertyKey.valueReference] {
        case .reference(.key(let key))?:
            if key.keychainItem == nil { reachesFile = false } else { reachesDataProtection = false }
        case .reference(.certificate(let certificate))? where certificate.keychainItem != nil:
            reachesDataProtection = false
        case .reference(.keychainItem(let item))? where item.dataProtectionReference == nil:
            reachesDataProtection = false
        default: break
        }
        if Self.isForDataProtection(query) { reachesFile = false }
        if let reference = query[PropertyKey.valuePersistentReference] {
            if reference.isDataProtectionReference { reachesFile = false } else { reachesDataProtection = false }
        }
        if Self.fileBasedKeys.contains(where: { query[$0] != nil })
            || Self.keysOfSubjects.allSatisfy({ query[$0] == nil })
        {
            reachesDataProtection = false
        }
        // An add is routed to one side.
        if function == .add, reachesFile { reachesDataProtection = false }
    }

    /// Whether attributes are named that the file-based keychains do not have.
    private static func isForDataProtection(_ query: PropertyDictionary) -> Bool {
        query[AttributeName.tokenID.description] != nil || query[AttributeName.accessControl.description] != nil
            || query[AttributeName.accessGroup.description] == .string(PropertyKey.accessGroupToken)
            || query[AttributeName.synchronizable.description]?.isTrueForRouting ?? false
    }

    /// The keys that select the items of a query.
    private static let keysOfSubjects = [
        PropertyKey.itemClass, PropertyKey.valueReference, PropertyKey.valuePersistentReference,
    ]

    /// The keys that the data protection keychain does not support.
    private static let fileBasedKeys = [
        PropertyKey.matchItemList, PropertyKey.matchSearchList, PropertyKey.matchSubjectStartsWith,
        PropertyKey.matchSubjectEndsWith, PropertyKey.matchSubjectWholeString, PropertyKey.matchDiacriticInsensitive,
        PropertyKey.matchWidthInsensitive, PropertyKey.useItemList, PropertyKey.useKeychain, PropertyKey.access, "prf",
        "salt", "rounds",
    ]
}

extension PropertyValue {
    /// The truth of a value as the macOS front end determines it: that of a number is the truth of its low 32 bits.
    package var isTrueForRouting: Bool {
        switch self {
        case .boolean(let flag): flag
        case .number(let number): number.truncatedTo32Bits != 0
        case .string(let text): Int32(text).map { $0 != 0 && String($0) == text } ?? false
        default: false
        }
    }

    /// Whether it has the form of a persistent reference of the data protection keychain: 12 or 20 bytes that start
    /// with a class, or the form of a token's item.
    fileprivate var isDataProtectionReference: Bool {
        guard case .data(let data) = self else { return false }
        let bytes = data.unprotectedCopy
        let prefix = String(decoding: bytes.prefix(4), as: UTF8.self)
        return [12, 20].contains(bytes.count) && ItemClass(rawValue: prefix) != nil || prefix == "tkpr"
    }
}
