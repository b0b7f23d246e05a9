// SPDX-License-Identifier: Apache-2.0

/// A text for a log, whose values say who may read them.
///
/// Write it as a string with interpolations. The text around the values is always written. A number is written too; any
/// other value is not, unless it says `privacy: .public`. Values are looked at only when the message is written.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    private let parts: [() -> String]

    /// A text without values.
    public init(stringLiteral value: String) { parts = [{ value }] }

    /// A text with values.
    public init(stringInterpolation: OSLogInterpolation) { parts = stringInterpolation.parts }

    /// What is written.
    var text: String { parts.reduce(into: "") { $0 += $1() } }
}

/// The values and texts of a message; made by the compiler.
public struct OSLogInterpolation: StringInterpolationProtocol {
    fileprivate(set) var parts: [() -> String] = []

    /// See `StringInterpolationProtocol`.
    public init(literalCapacity: Int, interpolationCount: Int) { parts.reserveCapacity(2 * interpolationCount + 1) }

    /// See `StringInterpolationProtocol`.
    public mutating func appendLiteral(_ literal: String) { parts.append { literal } }

    /// A text: private by default.
    public mutating func appendInterpolation(
        _ value: @autoclosure @escaping () -> String,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(privacy, isPublic: false) { align.text(of: value()) }
    }

    /// A value that describes itself, objects of Foundation among them: private by default.
    @_disfavoredOverload
    public mutating func appendInterpolation<T: CustomStringConvertible>(
        _ value: @autoclosure @escaping () -> T,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(privacy, isPublic: false) { align.text(of: value().description) }
    }

    /// An error: private by default.
    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ value: @autoclosure @escaping () -> any Error,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(privacy, isPublic: false) { String(describing: value()) }
    }

    /// An error, if there is one: private by default.
    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ value: @autoclosure @escaping () -> (any Error)?,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(privacy, isPublic: false) { value().map { String(describing: $0) } ?? "(null)" }
    }

    /// A type: public by default.
    public mutating func appendInterpolation(
        _ value: @autoclosure @escaping () -> any Any.Type,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(privacy, isPublic: true) { align.text(of: String(describing: value())) }
    }

    /// A whole number: public by default.
    public mutating func appendInterpolation<T: FixedWidthInteger>(
        _ number: @autoclosure @escaping () -> T,
        format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(privacy, isPublic: true) { align.text(of: format.text(of: number())) }
    }

    /// A number with a fraction: public by default.
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Double,
        format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(privacy, isPublic: true) { align.text(of: format.text(of: number())) }
    }

    /// A number with a fraction: public by default.
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Float,
        format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(privacy, isPublic: true) { align.text(of: format.text(of: Double(number()))) }
    }

    /// A truth value: public by default.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure @escaping () -> Bool,
        format: OSLogBoolFormat = .truth,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(privacy, isPublic: true) {
            switch format {
            case .truth: boolean() ? "true" : "false"
            case .answer: boolean() ? "yes" : "no"
            }
        }
    }

    /// A pointer: public by default; its address is written.
    public mutating func appendInterpolation(
        _ pointer: @autoclosure @escaping () -> UnsafeRawPointer?,
        privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) {
        append(privacy, isPublic: true) { pointer()?.debugDescription ?? "0x0" }
    }

    private mutating func append(_ privacy: OSLogPrivacy, isPublic: Bool, _ value: @escaping () -> String) {
        parts.append { privacy.text(of: value, isPublicByDefault: isPublic) }
    }
}
