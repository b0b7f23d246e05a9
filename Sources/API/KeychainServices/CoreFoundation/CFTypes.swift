// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Core Foundation's names for Foundation's classes: bridged casts, literals and results then work as on Apple's
// platforms. A string is NSString and not String, because code passes constants where an object is wanted.

/// A string object.
public typealias CFString = NSString
/// A dictionary object.
public typealias CFDictionary = NSDictionary
/// A dictionary object that can change.
public typealias CFMutableDictionary = NSMutableDictionary
/// An array object.
public typealias CFArray = NSArray
/// An array object that can change.
public typealias CFMutableArray = NSMutableArray
/// A set object.
public typealias CFSet = NSSet
/// A data object.
public typealias CFData = NSData
/// A data object that can change.
public typealias CFMutableData = NSMutableData
/// A number object.
public typealias CFNumber = NSNumber
/// A truth value, which on Linux is a number object.
public typealias CFBoolean = NSNumber
/// A date object.
public typealias CFDate = NSDate
/// A URL object.
public typealias CFURL = NSURL
/// An error object.
public typealias CFError = NSError
/// The domain of an error.
public typealias CFErrorDomain = CFString
/// The null object.
public typealias CFNull = NSNull
/// Any object.
public typealias CFTypeRef = AnyObject
/// Identifies a class of objects; see ``CFGetTypeID(_:)``.
public typealias CFTypeID = UInt
/// A count or an index.
public typealias CFIndex = Int
/// A set of flags.
public typealias CFOptionFlags = UInt
/// A hash value.
public typealias CFHashCode = UInt
/// A span of time in seconds.
public typealias CFTimeInterval = Double
/// A time in seconds since 2001-01-01T00:00:00Z.
public typealias CFAbsoluteTime = Double

/// The status code of the item functions.
public typealias OSStatus = Int32
/// Four characters in 32 bits.
public typealias FourCharCode = UInt32
/// A four-character type.
public typealias OSType = FourCharCode
/// A signed integer.
public typealias NSInteger = Int
/// An unsigned integer.
public typealias NSUInteger = UInt
/// A pointer to an object that a call replaces.
public typealias AutoreleasingUnsafeMutablePointer = UnsafeMutablePointer
/// A truth value of C, as Swift imports it on Apple's platforms.
public struct DarwinBoolean: ExpressibleByBooleanLiteral, Equatable, Sendable {
    /// The value.
    public var boolValue: Bool

    /// A truth value.
    public init(_ value: Bool) { boolValue = value }

    /// A truth value of a literal.
    public init(booleanLiteral value: Bool) { boolValue = value }
}

/// Receives the error of a call.
public typealias NSErrorPointer = AutoreleasingUnsafeMutablePointer<NSError?>?

/// No error.
public let noErr: OSStatus = 0

/// An allocator: ignored here.
public final class CFAllocator: Sendable {
    fileprivate init() {}
}

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The default allocator.
public let kCFAllocatorDefault: CFAllocator! = CFAllocator()
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The allocator that releases nothing.
public let kCFAllocatorNull: CFAllocator! = CFAllocator()

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The truth value "true".
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The truth value "false".
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The null object.
public let kCFNull: CFNull! = NSNull()
// The string is safe to share because it never changes.
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The key of a bundle's identifier.
nonisolated(unsafe) public let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"
