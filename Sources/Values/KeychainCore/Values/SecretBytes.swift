// SPDX-License-Identifier: Apache-2.0

import KeychainSupport

/// Bytes that are overwritten with zeros when the last reference to them is released.
///
/// Every `Data` value of a request or a result has this type, so that a secret leaves no copy behind in freed memory.
/// The bytes are immutable once created; copies of the value share them.
package struct SecretBytes: Sendable {
    @usableFromInline let storage: Storage

    /// Copies `count` bytes from a buffer.
    package init(copying bytes: UnsafeRawBufferPointer) {
        storage = Storage(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// Copies the bytes of an array.
    package init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { SecretBytes(copying: $0) }
    }

    /// No bytes.
    package init() {
        storage = Storage(count: 0) { _ in }
    }

    /// `count` bytes, zero unless `fill` writes them; there is no other copy of them.
    package init<Failure: Error>(
        count: Int,
        filling fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        storage = Storage(count: count) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        try fill(storage.bytes)
    }

    /// The number of bytes.
    @inlinable
    package var count: Int { storage.bytes.count }

    /// Whether there are no bytes.
    @inlinable
    package var isEmpty: Bool { count == 0 }

    /// Lends the bytes to `body`; the pointer is good only during the call.
    @inlinable
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(storage.bytes))
    }

    /// The bytes as an array, for values that are not secret: the copy is not overwritten.
    package var unprotectedCopy: [UInt8] { withUnsafeBytes { Array($0) } }

    // The buffer is written once, in the initializer, before other code can access it.
    @usableFromInline
    final class Storage: @unchecked Sendable {
        @usableFromInline let bytes: UnsafeMutableRawBufferPointer

        init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
            bytes = .allocate(byteCount: count, alignment: 8)
            fill(bytes)
        }

        deinit {
            CSupport.wipe(bytes.baseAddress, bytes.count)
            bytes.deallocate()
        }
    }
}

extension SecretBytes: Hashable {
    /// Whether both contain the same bytes, in constant time.
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
            }
        }
    }

    /// Feeds the number of bytes only, so that no hash of a secret is ever computed.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of bytes, never the bytes.
    package var description: String { "<\(count) bytes>" }

    /// The number of bytes, never the bytes.
    package var debugDescription: String { description }

    /// Nothing to see inside.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
