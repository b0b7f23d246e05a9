// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A DER element, for parsing the key of a certificate: the functions of Security do not return the version.
struct DERElement {
    let tag: UInt8
    let content: Data

    /// The first element of some bytes; `nil` if they are not one.
    init?(_ bytes: Data) {
        var rest = bytes[...]
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7f)
            guard (1...4).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        self.tag = tag
        content = Data(rest.prefix(length))
    }

    /// The X.509 version of a certificate; 1 if none is encoded.
    static func version(ofCertificate der: Data) -> Int {
        guard let certificate = DERElement(der), let body = DERElement(certificate.content),
            let version = DERElement(body.content), version.tag == 0xA0,
            let number = DERElement(version.content)?.content.last
        else { return 1 }
        return Int(number) + 1
    }
}
