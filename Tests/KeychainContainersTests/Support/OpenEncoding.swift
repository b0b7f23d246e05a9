// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import SwiftASN1

/// DER turned into what else BER allows: every constructed value of open length, every octet string in pieces.
enum OpenEncoding {
    static func of(_ der: [UInt8]) throws -> [UInt8] { encode(try DER.parse(der)) }

    private static func encode(_ node: ASN1Node) -> [UInt8] {
        let tag = node.encodedBytes[node.encodedBytes.startIndex]
        switch node.content {
        case .constructed(let parts):
            return [tag, 0x80] + parts.flatMap(encode) + [0, 0]
        case .primitive(let bytes) where node.identifier == .octetString && bytes.count > 1:
            let half = bytes.startIndex + bytes.count / 2
            let pieces = [bytes[..<half], bytes[half...]].flatMap { TestDER.octetString(Array($0)) }
            return [0x24, 0x80] + pieces + [0, 0]
        case .primitive:
            return Array(node.encodedBytes)
        }
    }
}
