// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The maximum number of bytes of a name that a program has made up, in a text for others to read.
    package static let mostBytesOfShownName = 256

    /// The text, or so many bytes of it and `…`.
    package func shortened(toBytes most: Int = mostBytesOfShownName) -> String {
        guard utf8.count > most else { return self }
        // Half of a character at the end becomes a replacement character.
        return String(decoding: utf8.prefix(most), as: UTF8.self) + "…"
    }
}

extension KeychainError {
    /// The maximum number of bytes of each of its texts in a reply.
    package static let mostBytesOfText = 16 << 10

    /// The error with texts of at most ``mostBytesOfText`` each: names that programs have made up can be of any length.
    package var shortened: KeychainError {
        var error = self
        error.reason = reason.shortened(toBytes: Self.mostBytesOfText)
        error.subject = subject?.shortened(toBytes: Self.mostBytesOfText)
        error.facts = facts.mapValues { $0.shortened(toBytes: Self.mostBytesOfText) }
        return error
    }
}
