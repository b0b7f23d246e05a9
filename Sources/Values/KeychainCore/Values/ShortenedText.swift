// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The maximum number of bytes of a program-supplied name in a message to others.
    package static let maximumShownNameBytes = 256

    /// The text, truncated to this many bytes, with `…` at its end, if it is longer.
    package func shortened(toBytes maximum: Int = maximumShownNameBytes) -> String {
        guard utf8.count > maximum else { return self }
        let end = "…"
        var bytes = Array(utf8.prefix(max(0, maximum - end.utf8.count)))
        while String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self) + end
    }
}

extension KeychainError {
    /// The maximum number of bytes of each of its texts in a reply.
    package static let maximumTextBytes = 16 << 10

    /// The error with texts of at maximum ``maximumTextBytes`` each: program-supplied names can have any length.
    package var shortened: KeychainError {
        var error = self
        error.reason = reason.shortened(toBytes: Self.maximumTextBytes)
        error.subject = subject?.shortened(toBytes: Self.maximumTextBytes)
        error.facts = facts.mapValues { $0.shortened(toBytes: Self.maximumTextBytes) }
        return error
    }
}
