// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The file-based keychain of a Mac, as far as it is known.
package enum FileKeychain: Sendable {
    /// Nobody said anything of it.
    case unknown
    /// There is none.
    case missing
    /// Its items, as dictionaries of an add, and whether it is locked.
    case items([PropertyDictionary], isLocked: Bool)
}

/// Which of the two keychains of a Mac a call reaches (semantics, section 9.1).
struct KeychainRoute: Equatable {
    var reachesDataProtection = true
    var reachesFile = true
    /// Whether the call asks for the data protection keychain by the flag.
    var isFlagged = false

    static let invalid = KeychainRoute(reachesDataProtection: false, reachesFile: false)

    init(reachesDataProtection: Bool = true, reachesFile: Bool = true, isFlagged: Bool = false) {
        self.reachesDataProtection = reachesDataProtection
        self.reachesFile = reachesFile
        self.isFlagged = isFlagged
    }

    init(_ query: PropertyDictionary, _ function: ItemFunction) {
        let flag = query[PropertyKey.useDataProtectionKeychain]
        if query[AttributeName.sharingGroup.description] != nil {
            self =
                flag.map { !$0.isTrueForRouting } ?? false
                ? .invalid : KeychainRoute(reachesFile: false, isFlagged: true)
            return
        }
        if let flag {
            self = KeychainRoute(
                reachesDataProtection: flag.isTrueForRouting,
                reachesFile: !flag.isTrueForRouting,
                isFlagged: flag.isTrueForRouting
            )
            return
        }
        self.init()
        if case .reference(.key)? = query[PropertyKey.valueReference] { reachesFile = false }
        if query[AttributeName.tokenID.description] != nil || query[AttributeName.accessControl.description] != nil
            || query[AttributeName.accessGroup.description] == .string(PropertyKey.accessGroupToken)
            || query[AttributeName.synchronizable.description]?.isTrueForRouting ?? false
        {
            reachesFile = false
        }
        if let reference = query[PropertyKey.valuePersistentReference] {
            if reference.isDataProtectionReference { reachesFile = false } else { reachesDataProtection = false }
        }
        let names = [PropertyKey.itemClass, PropertyKey.valueReference, PropertyKey.valuePersistentReference]
        if Self.fileBasedKeys.contains(where: { query[$0] != nil }) || names.allSatisfy({ query[$0] == nil }) {
            reachesDataProtection = false
        }
        // An add goes to one side.
        if function == .add, reachesFile { reachesDataProtection = false }
    }

    private static let fileBasedKeys = [
        PropertyKey.matchItemList, PropertyKey.matchSearchList, "m_SubjectStartsWith", "m_SubjectEndsWith",
        "m_SubjectWholeString", "m_DiacriticInsensitive", "m_WidthInsensitive", PropertyKey.useItemList,
        PropertyKey.useKeychain, "acls", "prf", "salt", "rounds",
    ]
}

extension PropertyValue {
    /// The truth of a value as the front end takes it.
    fileprivate var isTrueForRouting: Bool {
        switch self {
        case .boolean(let flag): flag
        case .number(let number): number.truncatedTo32Bits != 0
        case .string(let text): Int32(text).map { $0 != 0 && String($0) == text } ?? false
        default: false
        }
    }

    fileprivate var isDataProtectionReference: Bool {
        guard case .data(let data) = self else { return false }
        let bytes = data.unprotectedCopy
        let prefix = String(decoding: bytes.prefix(4), as: UTF8.self)
        return [12, 20].contains(bytes.count) && ItemClass(rawValue: prefix) != nil || prefix == "tkpr"
    }
}
