// SPDX-License-Identifier: Apache-2.0

/// Marks a database file as in use by processes of the host that has it on its own disk.
///
/// They use shared memory and kernel locks, so that no other host may start to use it (``StorePlace``).
///
/// It follows the ``LogMark``, and becomes invalid in the same way: it is the file change counter, modified.
enum LocalUse {
    /// Its offset in a file.
    static let range = 88..<92

    private static let counterOffset = 24
    private static let alteration: UInt32 = 0x534B_4C55

    /// Whether the beginning of a file has the mark.
    static func isSet(in header: UnsafeRawBufferPointer) -> Bool {
        header.count >= LogMark.headerByteCount
            && header.number(at: range.lowerBound, UInt32.self) == value(beside: header)
    }

    /// Writes the mark to the start of a file, or removes it.
    static func set(_ isSet: Bool, in header: UnsafeMutableRawBufferPointer) {
        let value = isSet ? value(beside: UnsafeRawBufferPointer(header)) : 0
        header.storeBytes(of: value.bigEndian, toByteOffset: range.lowerBound, as: UInt32.self)
    }

    private static func value(beside header: UnsafeRawBufferPointer) -> UInt32 {
        header.number(at: counterOffset, UInt32.self) ^ alteration
    }
}
