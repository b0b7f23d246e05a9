// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// For code that inspects number objects of unknown type.

/// The type of a number's value (Apple's documentation of CFNumber has the raw values).
public enum CFNumberType: CFIndex, Sendable {
    case sInt8Type = 1
    case sInt16Type, sInt32Type, sInt64Type
    case float32Type, float64Type
    case charType, shortType, intType, longType, longLongType
    case floatType, doubleType
    case cfIndexType, nsIntegerType, cgFloatType

    /// The highest of the types.
    public static var maxType: CFNumberType { .cgFloatType }
}

/// The type of a number's value, by its size; `.charType` for a Boolean.
///
/// An unsigned value has the type of the signed one that can represent all of its values, as on Apple's platforms, and
/// `UInt64` that of `Int64`. Foundation on Linux has one object for each of the smallest integers, whose type is
/// `.sInt32Type`.
@discardableResult
public func CFNumberGetType(_ number: CFNumber!) -> CFNumberType {
    if number.isBoolean { return .charType }
    return switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c"): .sInt8Type
    case UInt8(ascii: "C"), UInt8(ascii: "s"): .sInt16Type
    case UInt8(ascii: "S"), UInt8(ascii: "i"): .sInt32Type
    case UInt8(ascii: "f"): .float32Type
    case UInt8(ascii: "d"): .float64Type
    default: .sInt64Type
    }
}

/// Whether a number's value is a floating-point number.
@discardableResult
public func CFNumberIsFloatType(_ number: CFNumber!) -> Bool {
    [.float32Type, .float64Type].contains(CFNumberGetType(number))
}

/// The value of a truth value.
@discardableResult
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean.boolValue }
