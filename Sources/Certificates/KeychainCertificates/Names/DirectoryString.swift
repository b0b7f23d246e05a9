// SPDX-License-Identifier: Apache-2.0

import KeychainCore
internal import SwiftASN1

/// Text in the string types that names use (RFC 5280, section 4.1.2.4, and older certificates).
enum DirectoryString {
    /// The text of a value; `nil` for another type, for bytes that are not of the type, and for text with more
    /// consecutive combining marks than are permitted.
    ///
    /// NumericString and octets are described by their bytes, and so is a UniversalString, whose bytes are read as
    /// UTF-8 if they are valid UTF-8 (Semantics, "Computed attributes").
    static func text(_ node: ASN1Node) -> String? {
        guard let text = anyText(node), !text.hasTooManyMarks else { return nil }
        return text
    }

    private static func anyText(_ node: ASN1Node) -> String? {
        guard case .primitive(let bytes) = node.content else { return nil }
        switch node.identifier {
        case .utf8String:
            return String(validating: bytes, as: UTF8.self)
        case .printableString, .ia5String, .visibleString, .teletexString, .generalString, .graphicString,
            .videotexString:
            return latin1(bytes)
        case .bmpString:
            return units(bytes).flatMap { String(validating: $0, as: UTF16.self) }
        case .universalString:
            return String(validating: bytes, as: UTF8.self) ?? described(bytes)
        case .numericString, .octetString:
            return described(bytes)
        default:
            return nil
        }
    }

    /// Tools that declare T.61 write Latin-1, of which ASCII is a subset.
    static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The bytes in hexadecimal.
    private static func described(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }.joined(separator: " ")
    }

    /// The big-endian 16-bit numbers.
    private static func units(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { start in
            UInt16(bytes[start]) << 8 | UInt16(bytes[start + 1])
        }
    }
}

/// Comparison of host names and addresses, which ignores the case of ASCII letters only.
enum ASCII {
    static func lowercased(_ text: some StringProtocol) -> [UInt8] {
        text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 0x20 : $0 }
    }
}
