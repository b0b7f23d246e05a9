// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: NeverForceUnwrap, AmbiguousTrailingClosureOverload

import Foundation
import Security

// The helpers that turn each calling convention of the framework into `throws`.

/// Calls a function that answers with a status.
func secCall(_ body: () -> OSStatus) throws {
    let status = body()
    guard status == errSecSuccess else {
        throw NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: nil)
    }
}

/// Calls a function that answers with a status and hands over a result.
func secCall<Result>(_ body: (_ resultPointer: UnsafeMutablePointer<Result?>) -> OSStatus) throws -> Result {
    var result: Result?
    let status = body(&result)
    guard status == errSecSuccess, let value = result else {
        throw NSError(
            domain: NSOSStatusErrorDomain,
            code: Int(status == errSecSuccess ? errSecInvalidData : status),
            userInfo: [NSLocalizedDescriptionKey: SecCopyErrorMessageString(status, nil) as Any]
        )
    }
    return value
}

/// Calls a function that answers with a Boolean and hands over an error.
func secCall(_ body: (_ errorPointer: UnsafeMutablePointer<Unmanaged<CFError>?>) -> Bool) throws {
    var error: Unmanaged<CFError>?
    guard body(&error) else {
        throw error!.takeRetainedValue() as any Error
    }
}

/// Calls a function that answers with an optional and hands over an error.
func secCall<Result>(
    _ body: (_ errorPointer: UnsafeMutablePointer<Unmanaged<CFError>?>) -> Result?
) throws -> Result {
    var error: Unmanaged<CFError>?
    guard let result = body(&error) else {
        throw error!.takeRetainedValue() as any Error
    }
    return result
}

/// Calls a function that answers with an optional and says nothing more.
func secCall<Result>(_ code: Int = Int(errSecParam), _ body: () -> Result?) throws -> Result {
    guard let result = body() else {
        throw NSError(domain: NSOSStatusErrorDomain, code: code)
    }
    return result
}

enum AccessControls {
    /// The one call, as the documentation writes it.
    static func make(_ protection: CFString, _ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
        var error: Unmanaged<CFError>?
        guard let control = SecAccessControlCreateWithFlags(kCFAllocatorDefault, protection, flags, &error) else {
            throw error!.takeRetainedValue() as any Error
        }
        return control
    }

    /// With the error looked at through Core Foundation.
    static func failureCode(_ protection: String, _ flags: SecAccessControlCreateFlags) -> (String, Int)? {
        var error: Unmanaged<CFError>?
        let control = SecAccessControlCreateWithFlags(nil, protection as CFTypeRef, flags, &error)
        guard control == nil, let failure = error?.takeRetainedValue() else { return nil }
        return (CFErrorGetDomain(failure) as String, CFErrorGetCode(failure))
    }

    /// A token that may be read only by its owner: with the user's presence where the device has a passcode.
    static func userPresence() -> SecAccessControl? {
        SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence, nil)
    }
}

enum RandomBytes {
    static func array(count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess else { return nil }
        return bytes
    }

    static func data(count: Int) throws -> Data {
        var data = Data(count: count)
        let status = data.withUnsafeMutableBytes { buffer in
            SecRandomCopyBytes(kSecRandomDefault, count, buffer.baseAddress!)
        }
        guard status == errSecSuccess else { throw KeychainError(status: status) }
        return data
    }

    static func boundData(count: Int) -> Data? {
        var data = Data(count: count)
        let status = data.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) -> OSStatus in
            guard let address = buffer.bindMemory(to: UInt8.self).baseAddress else { return errSecAllocate }
            return SecRandomCopyBytes(nil, count, address)
        }
        return status == noErr ? data : nil
    }

    static func mutableData(count: Int) -> NSData? {
        guard let data = NSMutableData(length: count) else { return nil }
        return SecRandomCopyBytes(kSecRandomDefault, data.length, data.mutableBytes) == 0 ? data : nil
    }

    static func integer() -> UInt64 {
        var value: UInt64 = 0
        _ = SecRandomCopyBytes(kSecRandomDefault, MemoryLayout<UInt64>.size, &value)
        return value
    }
}

/// What an attribute is, for code that must not guess.
enum AttributeKind: Equatable {
    case string, data, boolean, number, date, array, dictionary, accessControl, other

    init(_ value: CFTypeRef) {
        switch CFGetTypeID(value) {
        case CFStringGetTypeID(): self = .string
        case CFDataGetTypeID(): self = .data
        case CFBooleanGetTypeID(): self = .boolean
        case CFNumberGetTypeID(): self = .number
        case CFDateGetTypeID(): self = .date
        case CFArrayGetTypeID(): self = .array
        case CFDictionaryGetTypeID(): self = .dictionary
        case SecAccessControlGetTypeID(): self = .accessControl
        default: self = .other
        }
    }
}

/// A cast that is checked by type identifier, as casts to Core Foundation types must be.
func accessControl(in attributes: [String: Any]) -> SecAccessControl? {
    guard let value = attributes[kSecAttrAccessControl as String] else { return nil }
    let object = value as CFTypeRef
    guard CFGetTypeID(object) == SecAccessControlGetTypeID() else { return nil }
    return (object as! SecAccessControl)
}
