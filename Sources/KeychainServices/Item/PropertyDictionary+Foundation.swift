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
            } else {
                hasForeignKey = true
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
        case let data as Data: self = .data(data.withUnsafeBytes { SecretBytes(copying: $0) })
        case let date as Date: self = PropertyValue(date)
        case let accessControl as SecAccessControl: self = .accessControl(accessControl.value)
        case is NSNull: self = .null
        case let identifier as UUID: self = .uuid(identifier.uuidString)
        case let array as [Any]: self = .array(array.map(PropertyValue.init(member:)))
        case let key as SecKey: self = .reference(.key(key.reference))
        case let certificate as SecCertificate: self = .reference(.certificate(certificate.reference))
        case let identity as SecIdentity: self = .reference(.identity(identity.reference))
        case let policy as SecPolicy: self = .policy(policy.value)
        case let holder as any AuthenticationContextHolder: self = .authenticationContext(holder.authenticationContext)
        default: self = .object("\(type(of: value))")
        }
    }

    /// A member of an array.
    ///
    /// Arrays in arrays have no meaning in any dictionary, and Foundation bridges the whole nest with each cast: to
    /// follow them would take time that grows with the square of the depth.
    private init(member: Any) {
        self = member is [Any] ? .object("Array") : PropertyValue(member)
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
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            let value = number.doubleValue
            self = value.isFinite ? .number(.real(value)) : .object("a number that is not finite")
        case UInt8(ascii: "Q"): self = .number(KeychainNumber(number.uint64Value))
        default: self = .number(.integer(number.int64Value))
        }
    }
}
