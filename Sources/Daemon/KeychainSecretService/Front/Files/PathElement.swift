// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Names as elements of paths of objects: every byte other than letters and digits of ASCII is an underscore and two
/// hexadecimal digits.
enum PathElement {
    /// The longest element: that of a file's name of 255 bytes.
    static let maximumByteCount = 3 * 255

    /// The element of a name.
    static func of(_ name: String) -> String {
        name.utf8.reduce(into: "") { element, byte in
            if isPlain(byte) {
                element.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                element += "_" + [byte].hexadecimal
            }
        }
    }

    /// The name of an element; `nil` for what ``of(_:)`` does not give.
    static func name(_ element: String) -> String? {
        var (bytes, rest) = ([UInt8](), element.utf8[...])
        while let byte = rest.popFirst() {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                rest = rest.dropFirst(2)
                bytes += [UInt8](hexadecimal: digits) ?? []
            }
        }
        // There is one element for each name, in lower case.
        guard let name = String(validating: bytes, as: UTF8.self), of(name) == element else { return nil }
        return name
    }

    /// Whether a text may be an element.
    static func isValid(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumByteCount
            && text.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
