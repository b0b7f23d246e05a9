// SPDX-License-Identifier: Apache-2.0

/// Sixteen bytes stored inline: an identifier, a search tag, a row version.
package struct Bytes16: Sendable, Hashable {
    // Inlinable in other modules, as is the code that reads them: every call of the keychain handles dozens of these.
    @usableFromInline var high: UInt64
    @usableFromInline var low: UInt64

    /// Takes the first sixteen bytes of a buffer; `nil` when it has fewer.
    @inlinable
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.count else { return nil }
        high = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        low = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    /// Takes sixteen bytes of a collection; `nil` when it has another number of them.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self = unsafe16(Array(bytes))
    }

    /// Sixteen zeros, which no identifier, tag or version is.
    package static let zero = Bytes16(high: 0, low: 0)

    /// Sixteen bytes of the system's generator.
    package static func random() -> Bytes16 {
        var generator = SystemRandomNumberGenerator()
        return Bytes16(high: generator.next(), low: generator.next())
    }

    /// The number of bytes: 16.
    @inlinable
    package static var count: Int { 16 }

    /// Lends the bytes in their order; the pointer is good only during the call.
    @inlinable
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: (high, low), body)
    }

    /// The bytes as an array.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    fileprivate init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A blind-index value: what the store compares instead of an attribute.
package typealias SearchTag = Bytes16

/// The identifier of a stored item, the last sixteen bytes of its persistent reference.
package typealias ItemIdentifier = Bytes16

private func unsafe16(_ bytes: [UInt8]) -> Bytes16 {
    bytes.withUnsafeBytes {
        Bytes16(
            high: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
            low: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
    }
}
