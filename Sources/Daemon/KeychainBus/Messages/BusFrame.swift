// SPDX-License-Identifier: Apache-2.0

/// A message as it arrived, or as the bus sends it.
package struct BusFrame {
    /// The size of the largest (D-Bus Specification, "Message Format").
    package static let mostBytes = 128 << 20

    /// The header.
    package var header: BusHeader
    /// The body, which the bus does not read, unless it is called itself or has to compare an argument of a signal.
    package let body: BusBody
    /// What is passed with it.
    var descriptors: PassedDescriptors?

    /// A message.
    package init(_ header: BusHeader, _ body: BusBody) {
        self.header = header
        self.body = body
    }

    /// Reads the values of the body, all of them.
    ///
    /// - Throws: ``BusFailure``, also if there are bytes behind the values.
    package func read<Result>(
        _ values: (inout BusValueReader) throws(BusFailure) -> Result
    ) throws(BusFailure) -> Result {
        try body.withBytes { (bytes) throws(BusFailure) in
            var reader = BusValueReader(bytes, order: header.order)
            let result = try values(&reader)
            guard reader.isAtEnd else { throw .malformed }
            return result
        }
    }
}
