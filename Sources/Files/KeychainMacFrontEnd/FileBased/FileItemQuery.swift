// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A validated query of file-based keychains (Semantics, "Parameters of the file-based keychain").
struct FileItemQuery {
    /// The class; `nil` if objects replace it.
    let itemClass: ItemClass?
    let returns: Set<FileResultKind>
    /// How many items; `nil` for all.
    let limit: Int?
    /// The keychains to search; `nil` for the search list.
    let searchList: [String]?
    /// The keychain for an add; `nil` for the default keychain.
    let target: String?
    /// The objects that replace a search; `nil` for a search.
    let objects: [PropertyValue]?
    /// The objects that results must be among; `nil` for any.
    let allowed: [PropertyValue]?
    let secret: SecretBytes?
    let access: ItemAccess?
    let certificates: CertificateMatch
    /// Every entry, for the attributes.
    let entries: PropertyEntries

    /// Parses a dictionary; the class of an add is checked separately.
    init(_ dictionary: PropertyDictionary, _ function: ItemFunction) throws(KeychainError) {
        try FileParameterTypes.check(dictionary)
        entries = dictionary.entries
        returns = FileResultKind.wanted(by: dictionary)
        limit = try Self.limit(dictionary[PropertyKey.matchLimit])
        searchList = dictionary[PropertyKey.matchSearchList]?.members?.compactMap { value in
            if case .keychain(let path) = value { path } else { nil }
        }
        if case .keychain(let path)? = dictionary[PropertyKey.useKeychain] { target = path } else { target = nil }
        let references = [PropertyKey.valueReference, PropertyKey.valuePersistentReference].compactMap {
            dictionary[$0]
        }
        let used = dictionary[PropertyKey.useItemList]?.members
        objects = used != nil || !references.isEmpty ? (used ?? []) + references : nil
        allowed = dictionary[PropertyKey.matchItemList]?.members.map { $0 + references }
        itemClass = try Self.itemClass(dictionary[PropertyKey.itemClass], isNeeded: objects == nil)
        secret = Self.secret(dictionary[PropertyKey.valueData])
        access = ItemAccess(entryOf: dictionary)
        certificates = CertificateMatch(dictionary)
        if !certificates.issuers.isEmpty || dictionary[PropertyKey.matchIssuers] != nil, itemClass != .identity {
            throw .parameter("kSecMatchIssuers is for identities", subject: PropertyKey.matchIssuers)
        }
        if function == .copyMatching, limit == nil, returns.contains(.data), itemClass?.isPassword ?? false {
            throw .parameter("all passwords are not returned with their data; a number as the limit is")
        }
        if dictionary[AttributeName.service.description]?.isOfCloudStorage ?? false {
            usesDefaultKeychain = true
        } else {
            usesDefaultKeychain = false
        }
    }

    /// Whether the default keychain of the user is searched in any case, and stores what is added.
    let usesDefaultKeychain: Bool

    /// Whether a result is an array.
    var givesList: Bool { limit.map { $0 > 1 } ?? true }

    private static func limit(_ value: PropertyValue?) throws(KeychainError) -> Int? {
        switch value {
        case .string(PropertyKey.matchLimitAll)?: return nil
        case .number(let number)?:
            let limit = Int(number.truncatedTo32Bits)
            guard limit >= 0 else { throw .parameter("the limit is negative", subject: PropertyKey.matchLimit) }
            return limit
        default: return 1
        }
    }

    private static func itemClass(_ value: PropertyValue?, isNeeded: Bool) throws(KeychainError) -> ItemClass? {
        switch value {
        case .string(let name)?:
            guard let itemClass = ItemClass(rawValue: name) else { throw .parameter("kSecClass names no item class") }
            return itemClass
        case nil where !isNeeded: return nil
        default: throw .parameter("kSecClass is missing or not a string")
        }
    }

    /// Data, or the UTF-8 of a string up to its first NUL.
    static func secret(_ value: PropertyValue?) -> SecretBytes? {
        switch value {
        case .data(let data)?: data
        case .string(let text)?: SecretBytes(Array(text.utf8.prefix { $0 != 0 }))
        default: nil
        }
    }
}

/// A kind of result that a call of an item function can request.
enum FileResultKind: Hashable, CaseIterable {
    case reference, persistentReference, data, attributes

    private var key: String {
        switch self {
        case .reference: PropertyKey.returnReference
        case .persistentReference: PropertyKey.returnPersistentReference
        case .data: PropertyKey.returnData
        case .attributes: PropertyKey.returnAttributes
        }
    }

    /// The results that a dictionary requests: only the Boolean true counts, and by default a reference is returned.
    static func wanted(by dictionary: PropertyDictionary) -> Set<FileResultKind> {
        let wanted = allCases.filter { dictionary[$0.key] == .boolean(true) }
        return wanted.isEmpty ? [.reference] : Set(wanted)
    }
}

extension ItemAccess {
    /// The access that a dictionary names, by either name.
    init?(entryOf dictionary: PropertyDictionary) {
        guard
            case .access(let access)? = dictionary[PropertyKey.access] ?? dictionary[FileParameterTypes.oldAccessKey]
        else { return nil }
        self = access
    }
}

extension ItemClass {
    /// Whether it is one of the two classes of passwords.
    var isPassword: Bool { self == .genericPassword || self == .internetPassword }
}

extension PropertyValue {
    /// The members of an array.
    fileprivate var members: [PropertyValue]? { if case .array(let members) = self { members } else { nil } }

    fileprivate var isOfCloudStorage: Bool {
        if case .string(let text) = self { text.hasPrefix("ProtectedCloudStorage") } else { false }
    }
}
