// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ItemKey {
    /// A value of an attribute of a key.
    ///
    /// Text and data are equal when their bytes are, as they are for the keychain.
    public enum Value: Sendable {
        /// A string.
        case text(String)
        /// Bytes.
        case data(Data)
        /// A whole number.
        case number(Int)
        /// A point in time.
        case date(Date)
    }
}

extension ItemKey.Value: Hashable {
    /// Whether the keychain considers both equal.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        default: left.bytes != nil && left.bytes == right.bytes
        }
    }

    /// Hashes the compared values.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .text, .data: hasher.combine(bytes)
        case .number(let number): hasher.combine(number)
        case .date(let date): hasher.combine(date)
        }
    }

    /// The bytes of text or data.
    var bytes: Data? {
        switch self {
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        case .number, .date: nil
        }
    }

    /// Text, or data as text, with a replacement for what is not UTF-8; numbers in decimal.
    var text: String {
        switch self {
        case .text(let text): text
        case .data(let data): String(decoding: data, as: UTF8.self)
        case .number(let number): String(number)
        case .date(let date): date.ISO8601Format()
        }
    }

    /// A value from a result of the keychain; `nil` for a value that no key has.
    init?(_ object: Any?) {
        switch object {
        case let text as String: self = .text(text)
        case let data as Data: self = .data(data)
        case let date as Date: self = .date(date)
        case let number as NSNumber: self = .number(number.intValue)
        default: return nil
        }
    }

    /// The value in a keychain dictionary.
    var object: Any {
        switch self {
        case .text(let text): text
        case .data(let data): data
        case .number(let number): NSNumber(value: number)
        case .date(let date): date
        }
    }
}

extension ItemKey.Value: CustomStringConvertible {
    /// Text in quotation marks, data by its length.
    public var description: String {
        switch self {
        case .text(let text): "'\(text)'"
        case .data(let data): String(data: data, encoding: .utf8).map { "'\($0)'" } ?? "of \(data.count) bytes"
        case .number, .date: text
        }
    }
}
