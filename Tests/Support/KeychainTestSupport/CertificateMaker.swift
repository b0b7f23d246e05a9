// SPDX-License-Identifier: Apache-2.0

/// Makes certificates that nobody signed: well formed, with arbitrary bytes where the signature belongs.
package enum CertificateMaker {
    /// One attribute of a name: its type, and the tag and content of its value.
    package struct Attribute: Sendable, Hashable {
        /// The type, as numbers with dots between: `2.5.4.3`.
        package var type: String
        /// The identifier octet of the value.
        package var tag: UInt8
        /// The content octets of the value.
        package var content: [UInt8]

        /// An attribute from its parts.
        package init(_ type: String, tag: UInt8, content: [UInt8]) {
            self.type = type
            self.tag = tag
            self.content = content
        }

        /// A common name, as a UTF8String.
        package static func commonName(_ text: String) -> Attribute {
            Attribute("2.5.4.3", tag: 0x0C, content: Array(text.utf8))
        }

        /// An attribute with a UTF8String.
        package static func utf8(_ type: String, _ text: String) -> Attribute {
            Attribute(type, tag: 0x0C, content: Array(text.utf8))
        }

        /// An attribute with a PrintableString.
        package static func printable(_ type: String, _ text: String) -> Attribute {
            Attribute(type, tag: 0x13, content: Array(text.utf8))
        }
    }

    /// The `AlgorithmIdentifier` of a P-256 key (RFC 5480).
    package static let p256Algorithm = TestDER.sequence(
        TestDER.objectIdentifier("1.2.840.10045.2.1"),
        TestDER.objectIdentifier("1.2.840.10045.3.1.7")
    )

    /// The `AlgorithmIdentifier` of an RSA key (RFC 3279).
    package static let rsaAlgorithm = TestDER.sequence(
        TestDER.objectIdentifier("1.2.840.113549.1.1.1"),
        [0x05, 0x00]
    )

    /// A `Name` (RFC 5280) of relative distinguished names, each of one or more attributes.
    package static func name(_ relativeNames: [[Attribute]]) -> [UInt8] {
        TestDER.sequence(
            relativeNames.flatMap { attributes in
                TestDER.set(
                    attributes.flatMap {
                        TestDER.sequence(
                            TestDER.objectIdentifier($0.type),
                            TestDER.value($0.tag, $0.content)
                        )
                    }
                )
            }
        )
    }

    /// A `Name` of a common name only.
    package static func name(_ commonName: String) -> [UInt8] { name([[.commonName(commonName)]]) }

    /// One extension of RFC 5280 by its type and the DER inside its OCTET STRING.
    package static func certificateExtension(
        _ type: String,
        isCritical: Bool = false,
        _ value: [UInt8]
    ) -> [UInt8] {
        TestDER.sequence(
            TestDER.objectIdentifier(type),
            isCritical ? [0x01, 0x01, 0xFF] : [],
            TestDER.octetString(value)
        )
    }

    /// A `SubjectPublicKeyInfo` of these key bits.
    package static func publicKeyInfo(
        _ bits: [UInt8],
        algorithm: [UInt8] = p256Algorithm
    ) -> [UInt8] {
        TestDER.sequence(algorithm, TestDER.bitString(bits))
    }

    /// A certificate in DER.
    ///
    /// - Parameters:
    ///   - subject: the `Name` of the subject in DER; see ``name(_:)-(String)``.
    ///   - issuer: the `Name` of the issuer in DER.
    ///   - serial: the content octets of the serial number, as they are.
    ///   - version: 1, 2 or 3.
    ///   - publicKeyBits: the bits of the public key, for P-256 04 ‖ x ‖ y.
    ///   - keyAlgorithm: the `AlgorithmIdentifier` of the key in DER.
    ///   - validity: the two times, each a whole DER value.
    ///   - extensions: whole extensions in DER; see ``certificateExtension(_:isCritical:_:)``.
    ///   - signature: what stands where a signature belongs.
    /// - Returns: The certificate.
    package static func certificate(
        subject: [UInt8],
        issuer: [UInt8],
        serial: [UInt8] = [0x01],
        version: Int = 3,
        publicKeyBits: [UInt8] = [0x04] + [UInt8](repeating: 0x2A, count: 64),
        keyAlgorithm: [UInt8] = p256Algorithm,
        validity: [[UInt8]] = [utcTime("240101000000Z"), generalizedTime("21231208000000Z")],
        extensions: [[UInt8]] = [],
        signature: [UInt8] = [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]
    ) -> [UInt8] {
        let signatureAlgorithm = TestDER.sequence(TestDER.objectIdentifier("1.2.840.10045.4.3.2"))
        let body = TestDER.sequence(
            version == 1 ? [] : TestDER.tagged(0, TestDER.integer(version - 1)),
            TestDER.integer(serial),
            signatureAlgorithm,
            issuer,
            TestDER.sequence(validity.flatMap(\.self)),
            subject,
            publicKeyInfo(publicKeyBits, algorithm: keyAlgorithm),
            extensions.isEmpty ? [] : TestDER.tagged(3, TestDER.sequence(extensions.flatMap(\.self)))
        )
        return TestDER.sequence(body, signatureAlgorithm, TestDER.bitString(signature))
    }

    /// A UTCTime of this text.
    package static func utcTime(_ text: String) -> [UInt8] { TestDER.value(0x17, Array(text.utf8)) }

    /// A GeneralizedTime of this text.
    package static func generalizedTime(_ text: String) -> [UInt8] { TestDER.value(0x18, Array(text.utf8)) }

    /// A certificate whose names, serial number, version and key are arbitrary; the same for the same generator.
    ///
    /// - Parameters:
    ///   - issuer: the `Name` of the issuer in DER; `nil` for an arbitrary one.
    ///   - generator: where the choices come from.
    /// - Returns: The certificate.
    package static func arbitraryCertificate(
        issuer: [UInt8]? = nil,
        using generator: inout SeededGenerator
    ) -> [UInt8] {
        let version = Int.random(in: 1...3, using: &generator)
        let subject = arbitraryName(using: &generator)
        let identifier = certificateExtension("2.5.29.14", TestDER.octetString(bytes(20, using: &generator)))
        return certificate(
            subject: subject,
            issuer: issuer ?? arbitraryName(using: &generator),
            serial: bytes(Int.random(in: 1...24, using: &generator), using: &generator),
            version: version,
            publicKeyBits: [0x04] + bytes(64, using: &generator),
            extensions: version == 3 && Bool.random(using: &generator) ? [identifier] : [],
            signature: bytes(70, using: &generator)
        )
    }

    /// A `Name` with values of every string type.
    package static func arbitraryName(using generator: inout SeededGenerator) -> [UInt8] {
        let relativeNames = Int.random(in: 1...4, using: &generator)
        return name(
            (0..<relativeNames).map { _ in
                (0..<(Int.random(in: 0..<5, using: &generator) == 0 ? 2 : 1)).map { _ in
                    arbitraryAttribute(using: &generator)
                }
            }
        )
    }

    private static let attributeTypes = [
        "2.5.4.3", "2.5.4.6", "2.5.4.7", "2.5.4.8", "2.5.4.10", "2.5.4.11", "2.5.4.13", "1.2.840.113549.1.9.1",
        "0.9.2342.19200300.100.1.25",
    ]

    /// The string types of RFC 5280 and older: UTF8, Numeric, Printable, Teletex, IA5, Visible, Universal, BMP.
    private static let stringTags: [UInt8] = [0x0C, 0x12, 0x13, 0x13, 0x13, 0x14, 0x16, 0x1A, 0x1C, 0x1E]

    private static func arbitraryAttribute(using generator: inout SeededGenerator) -> Attribute {
        let tag = stringTags[Int.random(in: 0..<stringTags.count, using: &generator)]
        let type = attributeTypes[Int.random(in: 0..<attributeTypes.count, using: &generator)]
        let alphabet = Array((tag == 0x12 ? "0123456789 " : "abcdeABCDE 012 ").utf8)
        let text = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        }
        switch tag {
        case 0x1C: return Attribute(type, tag: tag, content: text.flatMap { [0, 0, 0, $0] })
        case 0x1E: return Attribute(type, tag: tag, content: text.flatMap { [0, $0] })
        default: return Attribute(type, tag: tag, content: text)
        }
    }

    private static func bytes(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
