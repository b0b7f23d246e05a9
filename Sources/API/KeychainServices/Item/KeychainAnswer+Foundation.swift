// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

extension KeychainAnswer {
    /// The result as callers cast it: real Foundation objects, nothing bridged later.
    var object: CFTypeRef? {
        switch self {
        case .nothing: nil
        case .single(let value): value.object
        case .list(let values): NSArray(array: values.compactMap(\.object))
        }
    }
}

extension ResultValue {
    /// The object of a value; `nil` for a reference for which no object can be created.
    fileprivate var object: AnyObject? {
        switch self {
        case .data(let bytes):
            return bytes.object
        case .reference(let reference):
            return reference.object
        case .dictionary(let entries):
            let result = NSMutableDictionary(capacity: entries.count)
            for (key, value) in entries {
                if let object = value.object { result.setObject(object, forKey: NSString(string: key)) }
            }
            return result
        }
    }
}

extension PropertyValue {
    /// The object of a value; `nil` for what no result contains.
    fileprivate var object: AnyObject? {
        switch self {
        case .string(let text), .uuid(let text): NSString(string: text)
        case .data(let bytes): bytes.object
        case .number(.integer(let number)): NSNumber(value: number)
        case .number(.unsigned(let number)): NSNumber(value: number)
        case .number(.real(let number)): NSNumber(value: number)
        case .boolean(let flag): NSNumber(value: flag)
        case .date(let date): NSDate(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate)
        case .accessControl(let accessControl): SecAccessControl(accessControl)
        case .reference(let reference): reference.object
        case .keychain(let path): SecKeychain(path: path)
        case .access(let access): SecAccess(access)
        case .null, .array, .authenticationContext, .policy, .nested, .oversizedData, .object: nil
        }
    }
}

extension ItemReference {
    /// The object of a reference; `nil` if none can be created (Semantics, "External representations of keys").
    fileprivate var object: AnyObject? {
        switch self {
        case .key(let reference): SecKey(reference)
        case .certificate(let reference): SecCertificate(reference)
        case .identity(let reference): SecIdentity(reference)
        case .keychainItem(let reference): SecKeychainItem(reference)
        }
    }
}

extension SecretBytes {
    fileprivate var object: NSData {
        withUnsafeBytes { bytes in bytes.baseAddress.map { NSData(bytes: $0, length: bytes.count) } ?? NSData() }
    }
}
