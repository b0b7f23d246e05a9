// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The text of a file of another program.
enum ImportedText {
    /// UTF-8 with or without a byte order mark, or UTF-16 with one.
    ///
    /// - Throws: ``Refusal`` for anything else.
    static func read(_ contents: SecretBytes) throws(Refusal) -> String {
        let text: String? = contents.withUnsafeBytes { bytes in
            if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), lowByteFirst: true) }
            if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), lowByteFirst: false) }
            let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            return String(validating: bytes.dropFirst(start), as: UTF8.self)
        }
        guard let text else {
            throw Refusal("the file is neither UTF-8, nor UTF-16 with a byte order mark")
        }
        return text
    }

    private static func utf16(_ bytes: some Collection<UInt8>, lowByteFirst: Bool) -> String? {
        guard bytes.count % 2 == 0 else { return nil }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var iterator = bytes.makeIterator()
        while let first = iterator.next(), let second = iterator.next() {
            let (low, high) = lowByteFirst ? (first, second) : (second, first)
            units.append(UInt16(high) << 8 | UInt16(low))
        }
        return String(validating: units, as: UTF16.self)
    }
}
