// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainTrust

/// Object identifiers as octets (ITU-T X.690, section 8.19).
struct ObjectIdentifierTests {
    @Test(
        "numbers become octets, and octets numbers",
        arguments: [
            ("1.2.840.113635.100.1.3", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x01, 0x03]),
            ("2.999.3", [0x88, 0x37, 0x03]), ("0.0", [0x00]), ("2.5.29.37.0", [0x55, 0x1D, 0x25, 0x00]),
        ] as [(String, [UInt8])]
    )
    func octets(_ text: String, _ octets: [UInt8]) {
        #expect(ObjectIdentifierOctets.octets(text) == octets)
        #expect(ObjectIdentifierOctets.text(octets) == text)
    }

    @Test("what is no identifier has no octets", arguments: ["", "1", "1.x", "3.1", "1.40", "1.2.", "1.2.-3"])
    func none(_ text: String) { #expect(ObjectIdentifierOctets.octets(text).isEmpty) }

    @Test(
        "octets that are no identifier are none",
        arguments: [[], [0x80], [0x2A, 0x86], [UInt8](repeating: 0xFF, count: 12) + [0x7F]] as [[UInt8]]
    )
    func noText(_ octets: [UInt8]) { #expect(ObjectIdentifierOctets.text(octets) == nil) }
}
