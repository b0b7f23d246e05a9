// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

extension PropertyDictionary {
    /// The entries of a dictionary object.
    ///
    /// Callers build dictionaries in many ways, so a value arrives as a Swift value or as an object, and is brought into
    /// one form here.
    init(_ dictionary: NSDictionary) {
        self.init([:] as [String: PropertyValue])
        entries.reserveCapacity(dictionary.count)
        for (key, value) in dictionary {
            if let name = key as? String {
                entries[name] = PropertyValue(value)
            } else if case .number(let number) = PropertyValue(key) {
                foreignKeys.insert(.number(number))
            } else {
                foreignKeys.insert(.other)
            }
        }
    }
}

extension PropertyValue {
    /// A value of a dictionary object.
    init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let number as NSNumber: self = PropertyValue(number)
        case let number as CGFloat: self = PropertyValue(NSNumber(value: Double(number)))
        case let data as Data: self = PropertyValue(data)
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
        case let holder as any AuthenticationContextHolder: self = .authenticationContext(holder.authenticationContext)
        default: self = .object("\(type(of: value))")
        }
    }

    /// A member of an array.
    private init(member: Any) {
        let isContainer = member is [Any] || member is [AnyHashable: Any]
        self = isContainer ? .nested(Encodability(container: member)) : PropertyValue(member)
    }

    private init(_ data: Data) {
        // To copy what cannot be stored would only take memory.
        let isStorable = data.count <= ItemLimits.secretByteCount
        self = isStorable ? .data(data.withUnsafeBytes { SecretBytes(copying: $0) }) : .oversizedData(data.count)
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
    /// What becomes of an array or a dictionary, with all that is in it, when it is sent.
    ///
    /// Containers are told by a cast between Swift types, before any other: a cast to a class would have Foundation bridge
    /// the whole nest, level by level.
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
                case .array, .nested, .accessControl, .authenticationContext, .reference, .policy, .object:
                    self = .unencodable
                    return
                }
            }
        }
        self = isFractional ? .fractional : .encodable
    }
}
