// SPDX-License-Identifier: Apache-2.0

/// Bytes that arrive in pieces, whose size the first byte says; `nil` for none.
struct PiecedInput {
    let bytes: UnsafeRawBufferPointer
    /// The size of the pieces.
    let pieces: Int
    /// The size of the only piece, if they are not cut.
    let whole: Int

    init?(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        let input = UnsafeRawBufferPointer(start: start, count: count)
        guard let size = input.first else { return nil }
        bytes = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        (pieces, whole) = (Int(size) + 1, max(1, bytes.count))
    }
}
