// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

extension PropertyDictionary {
    /// The entries of a dictionary object.
    ///
    /// Callers build dictionaries in many ways, so a value arrives as a Swift value or as an object, and is normalized
    /// here.
    init(_ dictionary: NSDictionary) {
        self.init(PropertyEntries())
        entries.reserveCapacity(dictionary.count)
        guard let members = Self.members(of: dictionary) else {
            for (key, value) in dictionary { insert(key, PropertyValue(value)) }
            return
        }
        for (key, value) in members {
            switch value {
            case let text as NSString: insert(key, .string(text as String))
            case let number as NSNumber: insert(key, PropertyValue(number))
            case let data as NSData: insert(key, PropertyValue(data))
            default:
                if let value = dictionary.object(forKey: key) { insert(key, PropertyValue(value)) }
            }
        }
    }

    // Casting between classes is much faster than casting to a Swift type.
    private mutating func insert(_ key: NSObject, _ value: PropertyValue) {
        if let name = key as? NSString {
            entries[name as String] = value
        } else {
            insert(key as Any, value)
        }
    }

    private mutating func insert(_ key: Any, _ value: PropertyValue) {
        if let name = key as? String {
            entries[name] = value
        } else if case .number(let number) = PropertyValue(key) {
            foreignKeys.insert(.number(number))
        } else {
            foreignKeys.insert(.other)
        }
    }

    /// The unconverted objects of a dictionary; `nil` for a subclass, which may store them differently.
    ///
    /// Any other access makes Foundation bridge each value, and data byte by byte: a tenth of a second for a megabyte.
    private static func members(of dictionary: NSDictionary) -> [(key: NSObject, value: AnyObject)]? {
        guard type(of: dictionary) == NSDictionary.self || type(of: dictionary) == NSMutableDictionary.self else {
            return nil
        }
        let members = dictionary.customMirror.children.compactMap { $0.value as? (key: NSObject, value: AnyObject) }
        return members.count == dictionary.count ? members : nil
    }
}

extension PropertyValue {
    /// A value of a dictionary object.
    init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let number as NSNumber: self = PropertyValue(number)
        case let number as CGFloat: self = PropertyValue(NSNumber(value: Double(number)))
        case let data as Data:
            self = PropertyValue(byteCount: data.count) { data.withUnsafeBytes { SecretBytes(copying: $0) } }
        case let date as Date: self = PropertyValue(date)
        case let accessControl as SecAccessControl: self = .accessControl(accessControl.value)
        case is NSNull: self = .null
        case let identifier as UUID: self = .uuid(identifier.uuidString)
        case let array as [Any]: self = .array(array.map(PropertyValue.init(member:)))
        case let dictionary as [AnyHashable: Any]: self = .nested(Encodability(container: dictionary))
        case let key as SecKey: self = .reference(.key(key.reference))
        case let certificate as SecCertificate: self = .reference(.certificate(certificate.reference))
        case let identity as SecIdentity: self = .reference(.identity(identity.reference))
        case let policy as SecPolicy: self = .policy(policy.value)
        case let item as SecKeychainItem: self = .reference(.keychainItem(item.reference))
        case let keychain as SecKeychain: self = keychain.path.map { .keychain($0) } ?? .object("SecKeychain")
        case let access as SecAccess: self = .access(access.value)
        case let holder as any AuthenticationContextHolder:
            self = .authenticationContext(holder.authenticationContext.value)
        default: self = .object("\(type(of: value))")
        }
    }

    /// A member of an array.
    private init(member: Any) {
        let isContainer = member is [Any] || member is [AnyHashable: Any]
        self = isContainer ? .nested(Encodability(container: member)) : PropertyValue(member)
    }

    fileprivate init(_ data: NSData) {
        self.init(byteCount: data.length) {
            SecretBytes(copying: UnsafeRawBufferPointer(start: data.bytes, count: data.length))
        }
    }

    /// Creates data; data too large for any item is not copied.
    private init(byteCount: Int, _ copy: () -> SecretBytes) {
        self = byteCount <= ItemLimits.secretByteCount ? .data(copy()) : .oversizedData(byteCount)
    }

    private init(_ date: Date) {
        let seconds = date.timeIntervalSinceReferenceDate
        let time = Timestamp(secondsSinceReferenceDate: seconds)
        self = seconds.isFinite ? .date(time) : .object("a date that is not finite")
    }

    private init(_ number: NSNumber) {
        if number.isBoolean {
            self = .boolean(number.boolValue)
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .number(.real(number.doubleValue))
        case UInt8(ascii: "Q"): self = .number(KeychainNumber(number.uint64Value))
        default: self = .number(.integer(number.int64Value))
        }
    }
}

extension PropertyValue.Encodability {
    /// Converts an array or a dictionary with its contents, as they are sent.
    ///
    /// Containers are recognized by a cast between Swift types first: a cast to a class would make Foundation bridge
    /// the whole structure, level by level.
    fileprivate init(container: Any) {
        var isFractional = false
        var pending = [container]
        while let value = pending.popLast() {
            if let array = value as? [Any] {
                pending += array
            } else if let dictionary = value as? [AnyHashable: Any] {
                pending += dictionary.keys.map(\.base)
                pending += dictionary.values
            } else {
                switch PropertyValue(value) {
                case .number(let number): isFractional = isFractional || number.exactInteger == nil
                case .null, .boolean, .string, .data, .oversizedData, .date, .uuid: break
                case .array, .nested, .accessControl, .authenticationContext, .reference, .policy, .keychain, .access,
                    .object:
                    self = .unencodable
                    return
                }
            }
        }
        self = isFractional ? .fractional : .encodable
    }
}
