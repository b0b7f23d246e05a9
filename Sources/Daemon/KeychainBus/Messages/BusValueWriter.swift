// SPDX-License-Identifier: Apache-2.0

/// Writes values as a message has them (D-Bus Specification, "Marshaling").
package struct BusValueWriter {
    private let order: ByteOrder

    /// What was written.
    package private(set) var bytes: [UInt8] = []

    /// Nothing yet.
    package init(order: ByteOrder = .little) {
        self.order = order
        bytes.reserveCapacity(256)
    }

    /// Adds padding.
    package mutating func align(to boundary: Int) {
        while bytes.count % boundary != 0 { bytes.append(0) }
    }

    /// Adds a byte.
    package mutating func append(byte: UInt8) { bytes.append(byte) }

    /// Adds a number of four bytes.
    package mutating func append(_ number: UInt32) {
        align(to: 4)
        let ordered = order == .little ? number.littleEndian : number.bigEndian
        withUnsafeBytes(of: ordered) { bytes += $0 }
    }

    /// Adds a string or an object path.
    package mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        bytes += text.utf8
        bytes.append(0)
    }

    /// Adds a signature.
    package mutating func append(signature: String) {
        bytes.append(UInt8(signature.utf8.count))
        bytes += signature.utf8
        bytes.append(0)
    }

    /// Adds an array.
    ///
    /// - Parameters:
    ///   - boundary: the alignment of its elements.
    ///   - elements: writes them.
    package mutating func append(arrayAlignedTo boundary: Int, _ elements: (inout BusValueWriter) -> Void) {
        append(0)
        let count = bytes.count
        align(to: boundary)
        let start = bytes.count
        elements(&self)
        var length = BusValueWriter(order: order)
        length.append(UInt32(bytes.count - start))
        bytes.replaceSubrange(count - 4..<count, with: length.bytes)
    }

    /// Adds an array of strings.
    package mutating func append(_ texts: [String]) {
        append(arrayAlignedTo: 4) { writer in
            for text in texts { writer.append(text) }
        }
    }
}
