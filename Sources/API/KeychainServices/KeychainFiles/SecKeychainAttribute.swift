// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore

/// An attribute of an item of a file-based keychain: texts in UTF-8, numbers in four bytes of the host's order, dates
/// as `YYYYMMDDhhmmssZ` with a zero at the end.
public struct SecKeychainAttribute {
    /// Which attribute: the raw value of a ``SecItemAttr``.
    public var tag: SecKeychainAttrType
    /// How many bytes the value has.
    public var length: UInt32
    /// The value.
    public var data: UnsafeMutableRawPointer?

    /// An attribute.
    public init(tag: SecKeychainAttrType, length: UInt32, data: UnsafeMutableRawPointer?) {
        self.tag = tag
        self.length = length
        self.data = data
    }
}

/// Attributes of an item.
public struct SecKeychainAttributeList {
    /// How many.
    public var count: UInt32
    /// The attributes.
    public var attr: UnsafeMutablePointer<SecKeychainAttribute>?

    /// A list.
    public init(count: UInt32, attr: UnsafeMutablePointer<SecKeychainAttribute>?) {
        self.count = count
        self.attr = attr
    }
}

/// Which attributes are wanted.
public struct SecKeychainAttributeInfo {
    /// How many.
    public var count: UInt32
    /// Which ones: raw values of ``SecItemAttr``.
    public var tag: UnsafeMutablePointer<UInt32>
    /// Their formats; they have no effect.
    public var format: UnsafeMutablePointer<UInt32>?

    /// A choice of attributes.
    public init(count: UInt32, tag: UnsafeMutablePointer<UInt32>, format: UnsafeMutablePointer<UInt32>?) {
        self.count = count
        self.tag = tag
        self.format = format
    }
}

extension SecKeychainAttributeList {
    /// The attributes by name, with values as in the item functions.
    ///
    /// - Throws: `errSecNoSuchAttr` for one that items do not have.
    func entries() throws(KeychainError) -> [String: PropertyValue] {
        var entries: [String: PropertyValue] = [:]
        for index in 0..<Int(count) {
            guard let attribute = attr?[index] else { break }
            guard let kind = SecItemAttr(rawValue: attribute.tag) else {
                throw KeychainError(.noSuchAttribute, "no item has the attribute")
            }
            let bytes = UnsafeRawBufferPointer(start: attribute.data, count: Int(attribute.length))
            entries[AttributeName(code: attribute.tag).description] = try kind.value(Array(bytes))
        }
        return entries
    }

    /// Fills in the values of the attributes that are named; one that the item does not have has no bytes.
    func fill(_ attributes: [String: PropertyValue]) {
        for index in 0..<Int(count) {
            guard let attribute = attr?[index] else { return }
            let bytes = attributes[AttributeName(code: attribute.tag).description]?.attributeBytes
            attr?[index].length = UInt32(bytes?.count ?? 0)
            attr?[index].data = bytes.flatMap { HandedOver.copy(SecretBytes($0)) }
        }
    }
}

/// Memory that a caller receives, and frees with a function of this module.
enum HandedOver {
    /// A copy of bytes; its memory is never empty.
    static func copy(_ bytes: SecretBytes) -> UnsafeMutableRawPointer? {
        guard let memory = malloc(max(1, bytes.count)) else { return nil }
        bytes.withUnsafeBytes { source in
            if let start = source.baseAddress { memory.copyMemory(from: start, byteCount: source.count) }
        }
        return memory
    }

    /// Overwrites and frees memory; `nil` is ignored.
    static func free(_ memory: UnsafeMutableRawPointer?) {
        guard let memory else { return }
        explicit_bzero(memory, usableSize(memory))
        Glibc.free(memory)
    }

    // Glibc has it in a header that its module leaves out.
    @_extern(c, "malloc_usable_size")
    private static func usableSize(_ memory: UnsafeMutableRawPointer?) -> Int

    /// Frees what ``SecKeychainAttributeList/fill(_:)`` put into a list, and keeps the list.
    static func freeValues(of list: SecKeychainAttributeList) {
        for index in 0..<Int(list.count) {
            free(list.attr?[index].data)
            list.attr?[index].data = nil
        }
    }
}

extension SecItemAttr {
    /// The value that bytes are.
    fileprivate func value(_ bytes: [UInt8]) throws(KeychainError) -> PropertyValue {
        switch self {
        case .creatorItemAttr, .typeItemAttr, .invisibleItemAttr, .negativeItemAttr, .portItemAttr:
            return .number(.integer(Int64(try number(bytes))))
        case .authenticationTypeItemAttr, .protocolItemAttr:
            return .string(AttributeName(code: try number(bytes)).description)
        case .genericItemAttr: return .data(SecretBytes(bytes))
        case .creationDateItemAttr, .modDateItemAttr:
            guard let date = AttributeDate.date(bytes) else { throw .parameter("not a date") }
            return .date(date)
        default: return .string(String(decoding: bytes, as: UTF8.self))
        }
    }

    private func number(_ bytes: [UInt8]) throws(KeychainError) -> UInt32 {
        switch bytes.count {
        case 1: return UInt32(bytes[0])
        case 2: return UInt32(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) })
        case 4: return bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        default: throw .parameter("the number of an attribute has one, two or four bytes")
        }
    }
}

extension PropertyValue {
    /// The value as bytes of an attribute; `nil` for what has none.
    fileprivate var attributeBytes: [UInt8]? {
        switch self {
        case .string(let text): Array(text.utf8)
        case .data(let data): data.unprotectedCopy
        case .number(let number): withUnsafeBytes(of: number.truncatedTo32Bits) { Array($0) }
        case .boolean(let flag): withUnsafeBytes(of: Int32(flag ? 1 : 0)) { Array($0) }
        case .date(let date): AttributeDate.bytes(date)
        default: nil
        }
    }
}

/// Dates of attributes: `YYYYMMDDhhmmssZ` in UTC, with a zero at the end.
private enum AttributeDate {
    static func bytes(_ date: Timestamp) -> [UInt8]? {
        let date = Date(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate)
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        guard let year = parts.year, (0...9999).contains(year) else { return nil }
        let numbers = [year, parts.month, parts.day, parts.hour, parts.minute, parts.second]
        let text = numbers.enumerated().map { index, number in
            let digits = String(number ?? 0)
            return String(repeating: "0", count: max(0, (index == 0 ? 4 : 2) - digits.count)) + digits
        }
        return Array("\(text.joined())Z".utf8) + [0]
    }

    static func date(_ bytes: [UInt8]) -> Timestamp? {
        let text = bytes.prefix { $0 != 0 }
        guard text.count == 15, text.last == UInt8(ascii: "Z") else { return nil }
        let numbers = [0..<4, 4..<6, 6..<8, 8..<10, 10..<12, 12..<14].map { range in
            Int(String(decoding: text[range], as: UTF8.self))
        }
        let parts = DateComponents(
            year: numbers[0],
            month: numbers[1],
            day: numbers[2],
            hour: numbers[3],
            minute: numbers[4],
            second: numbers[5]
        )
        guard !numbers.contains(nil), let date = calendar.date(from: parts) else { return nil }
        return Timestamp(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        return calendar
    }()
}
