// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// Text in the string types that names use (RFC 5280, section 4.1.2.4, and older certificates).
enum DirectoryString {
    /// The text of a value; `nil` for another type, and for bytes that are not of the type.
    static func text(_ node: ASN1Node) -> String? {
        guard case .primitive(let bytes) = node.content else { return nil }
        switch node.identifier {
        case .utf8String:
            return String(validating: bytes, as: UTF8.self)
        case .printableString, .ia5String, .visibleString, .numericString, .teletexString, .generalString,
            .graphicString, .videotexString:
            // T.61 is never meant: tools write Latin-1, which ASCII is a part of.
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .bmpString:
            return units(bytes, 2).flatMap { String(validating: $0.map { UInt16($0) }, as: UTF16.self) }
        case .universalString:
            return units(bytes, 4).flatMap { String(validating: $0, as: UTF32.self) }
        default:
            return nil
        }
    }

    /// The big-endian numbers of so many bytes each.
    private static func units(_ bytes: ArraySlice<UInt8>, _ width: Int) -> [UInt32]? {
        guard bytes.count.isMultiple(of: width) else { return nil }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: width).map { start in
            bytes[start..<start + width].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}

/// Comparison of host names and addresses, in which only the letters of ASCII have two cases.
enum ASCII {
    static func lowercased(_ text: some StringProtocol) -> [UInt8] {
        text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 0x20 : $0 }
    }
}
