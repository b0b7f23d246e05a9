// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The types of attributes of items in file-based keychains (Semantics, "Parameters of the file-based keychain").
enum FileAttributes {
    /// The attributes of a dictionary to search for in items of a class.
    ///
    /// - Throws: `errSecParam` for an invalid number in an internet password.
    static func searched(
        _ entries: PropertyEntries,
        _ itemClass: ItemClass
    ) throws(KeychainError) -> FileItemConditions {
        FileItemConditions(
            itemClass,
            try selected(from: entries, of: itemClass, named: FileSearchAttributes.of(itemClass))
        )
    }

    /// The attributes of a dictionary that an item stores, without those of the wrong type.
    ///
    /// - Throws: `errSecParam` for an invalid number in an internet password.
    static func stored(
        _ entries: PropertyEntries,
        _ itemClass: ItemClass
    ) throws(KeychainError) -> [String: PropertyValue] {
        var stored: [String: PropertyValue] = [:]
        let names = Set(entries.keys.filter { $0 != AttributeName.modificationDate.description })
        for (name, value) in try selected(from: entries, of: itemClass, named: names) {
            stored[name.description] = value?.property
        }
        return stored
    }

    private static func selected(
        from entries: PropertyEntries,
        of itemClass: ItemClass,
        named names: Set<String>
    ) throws(KeychainError) -> [AttributeName: AttributeValue?] {
        let schema = ItemSchema.of(itemClass)
        var taken: [AttributeName: AttributeValue?] = [:]
        for (key, value) in entries where names.contains(key) {
            guard let name = AttributeName(key), let column = schema[name], column.access == .open,
                !FrontEndKeys.removedForFiles.contains(key)
            else { continue }
            guard hasRightType(name, value), let converted = try? column.coerce(value) else {
                if itemClass == .internetPassword, FileSearchAttributes.numbersOfInternetPasswords.contains(key) {
                    throw .parameter("the value of '\(key)' is not a number", subject: key)
                }
                taken[name] = .some(nil)
                continue
            }
            if case .string = converted, numbers.contains(key), itemClass == .internetPassword {
                throw .parameter("the value of '\(key)' is not a number", subject: key)
            }
            taken[name] = converted
        }
        return taken
    }

    /// Whether a value has the type of its attribute: texts are strings, and what is bytes is data.
    private static func hasRightType(_ name: AttributeName, _ value: PropertyValue) -> Bool {
        switch (texts.contains(name.description), bytes.contains(name.description), value) {
        case (true, _, .string), (_, true, .data): true
        case (true, _, _), (_, true, _): false
        default: true
        }
    }

    private static let texts: Set<String> = ["acct", "svce", "srvr", "sdmn", "path", "desc", "icmt"]
    private static let bytes: Set<String> = ["gena", "subj", "issr", "slnr", "pkhh", "skid"]
    private static let numbers = FileSearchAttributes.numbersOfInternetPasswords

    /// The form in which two values are compared: names in certificates match whole or by their normalized content.
    static func normalized(_ name: AttributeName, _ value: AttributeValue) -> AttributeValue {
        guard name == .issuer || name == .subject, case .data(let bytes) = value else { return value }
        return .data(DistinguishedName.normalizedContent(SecretBytes(bytes)).unprotectedCopy)
    }
}
