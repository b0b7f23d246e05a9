// SPDX-License-Identifier: Apache-2.0

/// The part of fixed size at the beginning of a message, by which the rest is refused or awaited.
package struct BusFrameHead: Sendable, Hashable {
    /// Its size.
    package static let byteCount = 16

    /// The largest size of the header fields: the longest is a path.
    package static let mostFieldBytes = 64 << 10

    /// The order of bytes.
    package let order: ByteOrder
    /// The kind of message.
    package let type: BusMessageType
    /// The flags.
    package let flags: UInt8
    /// The size of the body.
    package let bodyByteCount: Int
    /// The number that a reply refers to; not 0.
    package let serial: UInt32
    /// The size of the header fields.
    package let fieldByteCount: Int

    /// Reads its 16 bytes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - limit: the largest size of a whole message.
    /// - Throws: ``BusFailure``.
    package init(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(BusFailure) {
        guard bytes.count == Self.byteCount, let order = ByteOrder(rawValue: bytes[0]),
            let type = BusMessageType(rawValue: bytes[1]), bytes[3] == 1
        else { throw .malformed }
        var reader = BusValueReader(bytes, order: order, offset: 4)
        bodyByteCount = Int(try reader.number())
        serial = try reader.number()
        fieldByteCount = Int(try reader.number())
        (self.order, self.type, flags) = (order, type, bytes[2])
        guard serial != 0 else { throw .malformed }
        guard fieldByteCount <= Self.mostFieldBytes, headerByteCount + bodyByteCount <= limit else { throw .tooLong }
    }

    /// The size of the header with what pads it to a multiple of eight bytes.
    package var headerByteCount: Int { (Self.byteCount + fieldByteCount + 7) & ~7 }
}
