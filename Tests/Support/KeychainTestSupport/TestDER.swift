// SPDX-License-Identifier: Apache-2.0

/// Writes DER values (X.690) by hand, so that tests can also write what no encoder would.
package enum TestDER {
    /// One value: its identifier octet, the length, and the contents one after the other.
    package static func value(_ identifier: UInt8, _ contents: [UInt8]...) -> [UInt8] {
        let content = contents.flatMap(\.self)
        return [identifier] + length(content.count) + content
    }

    /// The definite length in its shortest form.
    package static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        var octets: [UInt8] = []
        var rest = count
        while rest > 0 {
            octets.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(octets.count)] + octets
    }

    /// A SEQUENCE.
    package static func sequence(_ contents: [UInt8]...) -> [UInt8] { value(0x30, contents.flatMap(\.self)) }

    /// A SET, in the order that is given.
    package static func set(_ contents: [UInt8]...) -> [UInt8] { value(0x31, contents.flatMap(\.self)) }

    /// An INTEGER of content octets as they are.
    package static func integer(_ content: [UInt8]) -> [UInt8] { value(0x02, content) }

    /// An INTEGER that is not negative.
    package static func integer(_ number: Int) -> [UInt8] {
        var octets = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        while octets.count > 1, octets[0] == 0, octets[1] < 0x80 { octets.removeFirst() }
        return integer(octets)
    }

    /// An OBJECT IDENTIFIER from its numbers with dots between.
    package static func objectIdentifier(_ text: String) -> [UInt8] {
        let numbers = text.split(separator: ".").compactMap { UInt($0) }
        let parts = [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2)
        return value(0x06, parts.flatMap(base128))
    }

    /// An OCTET STRING.
    package static func octetString(_ content: [UInt8]) -> [UInt8] { value(0x04, content) }

    /// A BIT STRING of whole octets.
    package static func bitString(_ content: [UInt8]) -> [UInt8] { value(0x03, [0], content) }

    /// A UTF8String.
    package static func utf8(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }

    /// A value inside a constructed context tag.
    package static func tagged(_ number: UInt8, _ contents: [UInt8]...) -> [UInt8] {
        value(0xA0 | number, contents.flatMap(\.self))
    }

    private static func base128(_ number: UInt) -> [UInt8] {
        var octets = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            octets.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return octets
    }
}
