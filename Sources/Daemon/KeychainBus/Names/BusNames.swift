// SPDX-License-Identifier: Apache-2.0

/// Which names and paths are valid (D-Bus Specification, "Valid Names" and "Valid Object Paths"): all are ASCII.
package enum BusNames {
    /// The bus itself.
    package static let driver = "org.freedesktop.DBus"

    /// The object of the bus itself.
    package static let driverPath = "/org/freedesktop/DBus"

    private static let longest = 255

    /// Whether bytes are a name of a connection.
    package static func isBusName(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: ":") ? isUnique(bytes) : isWellKnown(bytes)
    }

    /// Whether bytes are a name that a connection may ask for.
    package static func isWellKnown(_ bytes: some Collection<UInt8>) -> Bool {
        hasElements(bytes, atLeast: 2, mayBeginWithDigit: false) { isWordByte($0) || $0 == UInt8(ascii: "-") }
    }

    /// Whether bytes are a name that the bus gives.
    package static func isUnique(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: ":") && bytes.count <= longest
            && hasElements(bytes.dropFirst(), atLeast: 2, mayBeginWithDigit: true) {
                isWordByte($0) || $0 == UInt8(ascii: "-")
            }
    }

    /// Whether bytes are a name, or the beginning of one up to a full stop.
    package static func isNamespace(_ bytes: some Collection<UInt8>) -> Bool {
        hasElements(bytes, atLeast: 1, mayBeginWithDigit: false) { isWordByte($0) || $0 == UInt8(ascii: "-") }
    }

    /// Whether bytes are the name of an interface or of an error.
    package static func isInterface(_ bytes: some Collection<UInt8>) -> Bool {
        hasElements(bytes, atLeast: 2, mayBeginWithDigit: false, isWordByte)
    }

    /// Whether bytes are the name of a method or of a signal.
    package static func isMember(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first, bytes.count <= longest, !isDigit(first) else { return false }
        return bytes.allSatisfy(isWordByte)
    }

    /// Whether bytes are the path of an object.
    package static func isPath(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.first == UInt8(ascii: "/") else { return false }
        var last: UInt8 = 0
        for byte in bytes {
            guard isWordByte(byte) || byte == UInt8(ascii: "/") && last != byte else { return false }
            last = byte
        }
        return last != UInt8(ascii: "/") || bytes.count == 1
    }

    private static func hasElements(
        _ bytes: some Collection<UInt8>,
        atLeast least: Int,
        mayBeginWithDigit: Bool,
        _ isAllowed: (UInt8) -> Bool
    ) -> Bool {
        guard bytes.count <= longest else { return false }
        var count = 1
        var isAtStart = true
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                guard !isAtStart else { return false }
                count += 1
                isAtStart = true
            } else {
                guard isAllowed(byte), !isAtStart || mayBeginWithDigit || !isDigit(byte) else { return false }
                isAtStart = false
            }
        }
        return !isAtStart && count >= least
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
}
