// SPDX-License-Identifier: Apache-2.0

/// Which signals a connection gets (D-Bus Specification, "Match Rules").
package struct MatchRule: Sendable, Hashable {
    /// The kind of message.
    package var type: BusMessageType?
    /// The sender, by any of its names.
    package var sender: String?
    /// The interface.
    package var interface: String?
    /// The name of the signal.
    package var member: String?
    /// The path of the object.
    package var path: String?
    /// A path, itself or above that of the object.
    package var pathNamespace: String?
    /// The connection that the signal is meant for.
    package var destination: String?
    /// The conditions for arguments, by their order.
    package var arguments: [Argument] = []

    /// The condition for an argument, compared as bytes.
    package struct Argument: Sendable, Hashable {
        /// Its place.
        package let index: Int
        /// How it is compared.
        package let comparison: Comparison
        /// With what.
        package let value: [UInt8]
    }

    /// How an argument is compared.
    package enum Comparison: Sendable, Hashable {
        /// A string is equal.
        case equal
        /// A string or a path is equal, or the one that ends with a slash is the beginning of the other.
        case path
        /// A string is equal, or begins with it and a full stop.
        case namespace
    }

    /// Why text is no rule.
    package enum Failure: Error, Sendable, Hashable {
        /// It is not a list of keys and values.
        case syntax
        /// There is no such key.
        case unknownKey
        /// A key occurs twice, or excludes another one.
        case repeatedKey
        /// A value is not as its key wants it.
        case invalidValue
    }

    /// A rule for all messages.
    package init() {}
}

// MARK: - Reading

extension MatchRule {
    /// Reads a rule.
    ///
    /// - Throws: ``Failure``.
    package init(_ text: some Collection<UInt8>) throws(Failure) {
        var rest = text[...]
        var keys: Set<String> = []
        while true {
            rest = rest.drop { $0 == UInt8(ascii: " ") || (0x09...0x0D).contains($0) }
            if rest.isEmpty { break }
            let (key, value) = try Self.takePair(&rest)
            guard keys.insert(key).inserted else { throw .repeatedKey }
            try set(key, value)
        }
        guard path == nil || pathNamespace == nil else { throw .repeatedKey }
        arguments.sort { $0.index < $1.index }
    }

    /// Takes a key and a value, and the comma behind them.
    ///
    /// In apostrophes everything is as it is; outside of them, a backslash makes an apostrophe one of the value.
    private static func takePair<Text: Collection<UInt8>>(
        _ rest: inout Text
    ) throws(Failure) -> (key: String, value: [UInt8]) where Text.SubSequence == Text {
        let key = rest.prefix { $0 != UInt8(ascii: "=") }
        guard !key.isEmpty, key.count < rest.count else { throw .syntax }
        rest = rest.dropFirst(key.count + 1)
        var value: [UInt8] = []
        var isQuoted = false
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "'") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                break
            } else if byte == UInt8(ascii: "\\"), !isQuoted, rest.first == UInt8(ascii: "'") {
                value.append(UInt8(ascii: "'"))
                rest = rest.dropFirst()
            } else {
                value.append(byte)
            }
        }
        guard !isQuoted else { throw .syntax }
        // The blanks between a key and the sign of equality are no part of the key.
        let name = key.prefix { $0 > UInt8(ascii: " ") && $0 < 0x80 }
        guard key.dropFirst(name.count).allSatisfy({ $0 == UInt8(ascii: " ") }) else { throw .syntax }
        return (String(decoding: name, as: UTF8.self), value)
    }

    private mutating func set(_ key: String, _ value: [UInt8]) throws(Failure) {
        switch key {
        case "type": type = try Self.type(value)
        case "sender": sender = try Self.name(value, BusNames.isBusName(value))
        case "interface": interface = try Self.name(value, BusNames.isInterface(value))
        case "member": member = try Self.name(value, BusNames.isMember(value))
        case "path": path = try Self.name(value, BusNames.isPath(value))
        case "path_namespace": pathNamespace = try Self.name(value, BusNames.isPath(value))
        case "destination": destination = try Self.name(value, BusNames.isBusName(value))
        case "eavesdrop":
            // Nobody gets messages that are meant for another.
            guard value == Array("true".utf8) || value == Array("false".utf8) else { throw .invalidValue }
        default: arguments.append(try Self.argument(key, value))
        }
    }

    private static func type(_ value: [UInt8]) throws(Failure) -> BusMessageType {
        switch String(decoding: value, as: UTF8.self) {
        case "signal": return .signal
        case "method_call": return .methodCall
        case "method_return": return .methodReturn
        case "error": return .error
        default: throw .invalidValue
        }
    }

    private static func name(_ value: [UInt8], _ isValid: Bool) throws(Failure) -> String {
        guard isValid else { throw .invalidValue }
        return String(decoding: value, as: UTF8.self)
    }

    private static func argument(_ key: String, _ value: [UInt8]) throws(Failure) -> Argument {
        guard key.hasPrefix("arg") else { throw .unknownKey }
        let digits = key.dropFirst(3).prefix { $0.isASCII && $0.isNumber }
        guard let index = Int(digits), index <= 63, digits == "\(index)" else { throw .unknownKey }
        guard String(validating: value, as: UTF8.self) != nil, !value.contains(0) else { throw .invalidValue }
        switch key.dropFirst(3 + digits.count) {
        case "": return Argument(index: index, comparison: .equal, value: value)
        case "path": return Argument(index: index, comparison: .path, value: value)
        case "namespace" where index == 0:
            guard BusNames.isNamespace(value) else { throw .invalidValue }
            return Argument(index: index, comparison: .namespace, value: value)
        default: throw .unknownKey
        }
    }
}
