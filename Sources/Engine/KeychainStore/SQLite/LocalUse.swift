// SPDX-License-Identifier: Apache-2.0

/// The mark of a database file that processes of the host on whose disk it lies use it, by shared memory and locks of
/// the kernel, so that no other host begins to (``StorePlace``).
///
/// It lies behind the ``LogMark``, and ends as that does: it is the file change counter, altered.
enum LocalUse {
    /// Where it lies in a file.
    static let range = 88..<92

    private static let counterOffset = 24
    private static let alteration: UInt32 = 0x534B_4C55

    /// Whether the beginning of a file has the mark.
    static func isSet(in header: UnsafeRawBufferPointer) -> Bool {
        header.count >= LogMark.headerByteCount
            && header.number(at: range.lowerBound, UInt32.self) == value(beside: header)
    }

    /// Puts the mark into the beginning of a file, or takes it away.
    static func set(_ isSet: Bool, in header: UnsafeMutableRawBufferPointer) {
        let value = isSet ? value(beside: UnsafeRawBufferPointer(header)) : 0
        header.storeBytes(of: value.bigEndian, toByteOffset: range.lowerBound, as: UInt32.self)
    }

    private static func value(beside header: UnsafeRawBufferPointer) -> UInt32 {
        header.number(at: counterOffset, UInt32.self) ^ alteration
    }
}
