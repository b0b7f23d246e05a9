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

    /// Whether it is a number that is not whole, which no call can send (Semantics, "Conversion and comparison of
    /// values").
    var isFractional: Bool { [.real, .notANumber, .infinity].contains(self) }

    /// Whether it has no encoding, so that no call can send it.
    var isUnencodable: Bool { [.notADate, .set, .url, .object].contains(self) }

    /// The types that a kind of column takes (Semantics, "Conversion and comparison of values").
    static func accepted(by kind: AttributeKind) -> Set<SampleValue> {
        switch kind {
        case .blob, .data: [.integer, .text, .bytes, .bytesOutsideUTF8]
        case .string: [.text, .bytes, .identifier]
        case .number: [.boolean, .integer, .text]
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
    func call(for itemClass: ItemClass, column: Column, value: Any) -> OSStatus {
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
    func statusOfWrongType(_ column: Column, _ sample: SampleValue) -> [OSStatus] {
        if let status = statusOfSending(column, sample) { return [status] }
        return switch (column.access, self) {
        case (.guardedValue, .add), (.guardedValue, .updateAttributes), (.encrypted, .add),
            (.encrypted, .updateAttributes):
            [errSecMissingEntitlement]
        case (.guardedQuery, .add), (.guardedQuery, .updateQuery): [errSecMissingEntitlement]
        // Whether the type or the entitlement is looked at first depends on the function (Semantics, "Order of
        // checks").
        case (_, _) where column.name == .accessGroup: [errSecParam, errSecMissingEntitlement]
        default: [errSecParam]
        }
    }

    /// The status of a value that cannot be sent; `nil` for one that can, which the keychain proper judges
    /// (Semantics, "Order of checks").
    func statusOfSending(_ column: Column, _ sample: SampleValue) -> OSStatus? {
        // The client judges these two itself, before anything is sent.
        if column.name == .issuer, sample != .bytes, sample != .bytesOutsideUTF8 { return errSecParam }
        if column.name == .accessControl { return sample == .accessControl ? nil : errSecParam }
        if column.name == .tokenID, self != .updateAttributes { return errSecParam }
        if sample.isFractional { return errSecDecode }
        return sample.isUnencodable || sample == .accessControl ? errSecParam : nil
    }
}
