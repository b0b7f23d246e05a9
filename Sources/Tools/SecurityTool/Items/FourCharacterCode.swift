// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A value of four characters, such as a creator.
enum FourCharacterCode {
    /// The four bytes.
    ///
    /// - Throws: ``CommandFailure`` with 1 for another length.
    static func bytes(_ word: Word) throws(CommandFailure) -> [UInt8] {
        guard word.count == 4 else {
            let hint: ByteText = word.count == 3 ? "\n(Try \"\(word) \" instead of \"\(word)\")" : ""
            throw CommandFailure("Error: four-character types must be exactly 4 characters long.\(hint)")
        }
        return word.bytes.unprotectedCopy
    }
}
