// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The functions of Core Foundation that keychain code calls, by Apple's names and shapes.

/// Whether two objects are equal; keys are by their content.
@discardableResult
public func CFEqual(_ left: CFTypeRef!, _ right: CFTypeRef!) -> Bool {
    switch (left as? NSObject, right as? NSObject) {
    case (let left?, let right?): return left.isEqual(right)
    default:
        guard let left = left as? SecKey, let right = right as? SecKey else { return left === right }
        return left == right
    }
}

/// The hash value of an object.
@discardableResult
public func CFHash(_ object: CFTypeRef!) -> CFHashCode {
    guard let object else { return 0 }
    let hash = (object as? NSObject)?.hash ?? (object as? SecKey)?.hashValue ?? ObjectIdentifier(object).hashValue
    return UInt(bitPattern: hash)
}

/// A description of an object.
@discardableResult
public func CFCopyDescription(_ object: CFTypeRef!) -> CFString! {
    NSString(string: object.map { "\($0)" } ?? "(null)")
}

/// The time now, in seconds since 2001-01-01T00:00:00Z.
@discardableResult
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
    Date().timeIntervalSinceReferenceDate
}

/// The code of an error.
@discardableResult
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error.code }

/// The domain of an error.
@discardableResult
public func CFErrorGetDomain(_ error: CFError!) -> CFErrorDomain! { NSString(string: error.domain) }

/// The details of an error.
@discardableResult
public func CFErrorCopyUserInfo(_ error: CFError!) -> CFDictionary! { NSDictionary(dictionary: error.userInfo) }

/// The description of an error.
@discardableResult
public func CFErrorCopyDescription(_ error: CFError!) -> CFString! { NSString(string: error.localizedDescription) }

/// Makes an error.
@discardableResult
public func CFErrorCreate(
    _ allocator: CFAllocator!,
    _ domain: CFErrorDomain!,
    _ code: CFIndex,
    _ userInfo: CFDictionary!
) -> CFError! {
    NSError(domain: domain as String, code: code, userInfo: userInfo as? [String: Any])
}

/// The number of members of an array.
@discardableResult
public func CFArrayGetCount(_ array: CFArray!) -> CFIndex { array.count }

/// The member at an index.
///
/// The object is retained once for good, because a bridged member may live in no array.
@discardableResult
public func CFArrayGetValueAtIndex(_ array: CFArray!, _ index: CFIndex) -> UnsafeRawPointer! {
    UnsafeRawPointer(Unmanaged.passRetained(array.object(at: index) as AnyObject).toOpaque())
}

/// The number of entries of a dictionary.
@discardableResult
public func CFDictionaryGetCount(_ dictionary: CFDictionary!) -> CFIndex { dictionary.count }

/// The value for a key given as a pointer to a string object; `nil` if there is none.
///
/// The object is retained permanently, because a bridged value may not be stored in a dictionary.
@discardableResult
public func CFDictionaryGetValue(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
    guard let key else { return nil }
    let object = Unmanaged<AnyObject>.fromOpaque(key).takeUnretainedValue()
    guard let name = object as? NSString, let value = dictionary.object(forKey: name) else { return nil }
    return UnsafeRawPointer(Unmanaged.passRetained(value as AnyObject).toOpaque())
}

/// Copies bytes into a data object.
@discardableResult
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
    guard let bytes else { return NSData() }
    return NSData(bytes: bytes, length: length)
}

/// An empty data object that can change.
@discardableResult
public func CFDataCreateMutable(_ allocator: CFAllocator!, _ capacity: CFIndex) -> CFMutableData! {
    NSMutableData()
}

/// Makes a data object; unlike Apple's it copies the bytes, so that it stays good when they go.
@discardableResult
public func CFDataCreateWithBytesNoCopy(
    _ allocator: CFAllocator!,
    _ bytes: UnsafePointer<UInt8>!,
    _ length: CFIndex,
    _ bytesDeallocator: CFAllocator!
) -> CFData! {
    CFDataCreate(allocator, bytes, length)
}

/// The bytes of a data object, good as long as the object.
@discardableResult
public func CFDataGetBytePtr(_ data: CFData!) -> UnsafePointer<UInt8>! {
    data.bytes.assumingMemoryBound(to: UInt8.self)
}

/// The number of bytes of a data object.
@discardableResult
public func CFDataGetLength(_ data: CFData!) -> CFIndex { data.length }
