// SPDX-License-Identifier: Apache-2.0

/// The curves, as a table (SP 800-186; object identifiers of RFC 5480).
enum Curve: Sendable, Hashable, CaseIterable {
    case p256, p384, p521

    /// The size of the field in bits.
    var sizeInBits: Int {
        switch self {
        case .p256: 256
        case .p384: 384
        case .p521: 521
        }
    }

    /// The length of a coordinate, and of a private key, in bytes.
    var coordinateCount: Int { (sizeInBits + 7) / 8 }

    /// The length of an uncompressed point: 04 ‖ X ‖ Y.
    var pointCount: Int { 1 + 2 * coordinateCount }

    /// The content octets of the object identifier.
    var objectIdentifier: [UInt8] {
        switch self {
        case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
        }
    }

    init?(sizeInBits: Int) {
        guard let curve = Self.allCases.first(where: { $0.sizeInBits == sizeInBits }) else { return nil }
        self = curve
    }

    init?(pointCount: Int) {
        guard let curve = Self.allCases.first(where: { $0.pointCount == pointCount }) else { return nil }
        self = curve
    }

    init?(objectIdentifier: UnsafeRawBufferPointer) {
        guard let curve = Self.allCases.first(where: { objectIdentifier.elementsEqual($0.objectIdentifier) }) else {
            return nil
        }
        self = curve
    }
}
