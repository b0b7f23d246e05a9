// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A change of some bytes of a file.
package struct TextEdit: Hashable, Sendable {
    package let range: Range<Int>
    package let replacement: [UInt8]

    package init(_ range: Range<Int>, _ replacement: String = "") {
        (self.range, self.replacement) = (range, Array(replacement.utf8))
    }

    /// The bytes after some edits, in whatever order; a line of which nothing but blanks is left goes with its newline.
    ///
    /// Edits that overlap an earlier one are that one again.
    package static func apply(_ edits: [TextEdit], to bytes: [UInt8]) -> [UInt8] {
        var new: [UInt8] = []
        var place = 0
        // Where the current line of the result began, and whether something was taken out of it.
        var (lineStart, isCut) = (0, false)
        func copy(_ part: ArraySlice<UInt8>) {
            for byte in part {
                new.append(byte)
                guard byte == 0x0A else { continue }
                if isCut, new[lineStart...].allSatisfy({ [0x20, 0x09, 0x0D, 0x0A].contains($0) }) {
                    new.removeSubrange(lineStart...)
                }
                (lineStart, isCut) = (new.count, false)
            }
        }
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where edit.range.lowerBound >= place && edit.range.upperBound <= bytes.count {
            copy(bytes[place..<edit.range.lowerBound])
            if edit.replacement.isEmpty { isCut = true }
            new += edit.replacement
            place = edit.range.upperBound
        }
        copy(bytes[place...])
        if isCut, new[lineStart...].allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) {
            new.removeSubrange(lineStart...)
        }
        return new
    }
}

/// A secret that lies in plain text in a file.
package struct PlainSecret: Sendable {
    /// The number of its line.
    package let line: Int

    /// What it is, without the secret.
    package let what: String

    /// Where it goes.
    package let place: CredentialPlace

    /// The secret of the item.
    package let secret: SecretBytes

    /// What takes it out of the file.
    package let edits: [TextEdit]

    /// The variable by which its program is given it; `nil` if a helper does that.
    package var variable: String?

    /// The profile or user for which the program has to run its helper.
    package var profile: String?

    package init(
        line: Int,
        what: String,
        place: CredentialPlace,
        secret: SecretBytes,
        edits: [TextEdit]
    ) {
        (self.line, self.what, self.place, self.secret, self.edits) = (line, what, place, secret, edits)
    }
}

/// The secrets that a file has in plain text.
package struct PlainSecrets: Sendable {
    /// Those that can be moved into the keychain.
    package var secrets: [PlainSecret] = []

    /// What stays in the file, and why; without secrets.
    package var left: [(line: Int, reason: String)] = []

    package init() {}

    mutating func leave(_ line: Int, _ reason: String) { left.append((line, reason)) }
}

/// The lines of a file, by the places of their bytes.
struct TextLines {
    struct Line {
        let number: Int
        /// Without the end of the line.
        let range: Range<Int>
        /// With it.
        let whole: Range<Int>
    }

    let bytes: [UInt8]
    let lines: [Line]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var lines: [Line] = []
        var start = 0
        while start < bytes.count {
            let newline = bytes[start...].firstIndex(of: 0x0A)
            var end = newline ?? bytes.count
            let next = newline.map { $0 + 1 } ?? bytes.count
            if end > start, bytes[end - 1] == 0x0D { end -= 1 }
            lines.append(Line(number: lines.count + 1, range: start..<end, whole: start..<next))
            start = next
        }
        self.lines = lines
    }

    /// A part as text; a byte that is not UTF-8 becomes a replacement character, which no name has.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// A part without blanks at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var range = range
        while let first = range.first, Self.isBlank(bytes[first]) { range.removeFirst() }
        while let last = range.last, Self.isBlank(bytes[last]) { range.removeLast() }
        return range
    }

    /// The number of the line that a byte is in.
    func number(at place: Int) -> Int { bytes[..<min(place, bytes.count)].count { $0 == 0x0A } + 1 }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension Range where Bound == Int {
    fileprivate mutating func removeFirst() { self = (lowerBound + 1)..<upperBound }
    fileprivate mutating func removeLast() { self = lowerBound..<(upperBound - 1) }
}
