// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security

/// A value of each type that a caller may put into a dictionary.
enum SampleValue: CaseIterable {
    case boolean, integer, real, notANumber, infinity, text, bytes, bytesOutsideUTF8, date, notADate, null
    case array, nestedArray, dictionary, set, url, identifier, object, accessControl

    var value: Any {
        switch self {
        case .boolean: true
        case .integer: 7
        case .real: 1.5
        case .notANumber: Double.nan
        case .infinity: -Double.infinity
        case .text: "sample"
        case .bytes: Data("sample".utf8)
        case .bytesOutsideUTF8: Data([0xFF, 0xFE, 0xC0, 0x80])
        case .date: Date(timeIntervalSinceReferenceDate: 1_000)
        case .notADate: Date(timeIntervalSinceReferenceDate: .nan)
        case .null: NSNull()
        case .array: ["sample"]
        case .nestedArray: [[["sample"]], [Data()]]
        case .dictionary: ["acct": "sample"]
        case .set: Set(["sample"])
        case .url: URL(fileURLWithPath: "/sample")
        case .identifier: UUID()
        case .object: NSObject()
        case .accessControl: SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil) as Any
        }
    }

    /// The types that a kind of column takes (specification, section 2.1).
    static func accepted(by kind: AttributeKind) -> Set<SampleValue> {
        switch kind {
        case .blob, .data: [.integer, .real, .text, .bytes, .bytesOutsideUTF8]
        case .string: [.text, .bytes, .identifier]
        case .number: [.boolean, .integer, .real, .text]
        case .date: [.date]
        // None of the samples is an accessibility constant.
        case .accessibility: []
        case .accessControl: [.accessControl]
        case .user: [.text, .bytes, .bytesOutsideUTF8, .identifier, .null]
        }
    }
}

/// A function, and in which of its dictionaries an attribute stands.
enum AttributePlace: CaseIterable {
    case add, copy, updateQuery, updateAttributes, delete

    /// Calls the function with one attribute of a value, in such a way that success would change an item.
    func call(_ itemClass: ItemClass, _ column: Column, _ value: Any) -> OSStatus {
        let key = NSString.key(column.name.description)
        let query: [CFString: Any] = [kSecClass: itemClass.rawValue, key: value]
        switch self {
        case .add:
            return Items.add(query.merging([kSecValueData: Data("intruder".utf8)]) { first, _ in first })
        case .copy: return Items.copy(query).status
        case .updateQuery: return Items.update(query, [kSecAttrLabel: "intruder"])
        case .updateAttributes:
            return Items.update([kSecClass: itemClass.rawValue], [key: value, kSecValueData: Data("intruder".utf8)])
        case .delete: return Items.delete(query)
        }
    }

    /// What the call must answer for a value whose type the column does not take; `nil` for "anything but success".
    func statusOfWrongType(_ column: Column) -> [OSStatus] {
        switch (column.access, self) {
        case (.guardedValue, .add), (.guardedValue, .updateAttributes): [errSecMissingEntitlement]
        case (.guardedQuery, .add), (.guardedQuery, .updateQuery): [errSecMissingEntitlement]
        // Whether the type or the entitlement is looked at first depends on the function (specification, section 3.6).
        case (_, _) where column.name == .accessGroup: [errSecParam, errSecMissingEntitlement]
        default: [errSecParam]
        }
    }
}
