// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

/// Reads the lines of a file of PEM documents.
struct PEMReader {
    private var lines: ArraySlice<ArraySlice<UInt8>>

    init(_ bytes: some Sequence<UInt8>) {
        let newLines: Set<UInt8> = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        lines = Array(bytes).split { newLines.contains($0) }[...]
    }

    /// Whether there is the beginning of a document.
    var hasBeginning: Bool { lines.contains { Mark($0, "BEGIN") != nil } }

    /// The next document; `nil` at the end.
    mutating func next() throws(ContainerError) -> PEMDocument? {
        var beginning: Mark?
        while beginning == nil {
            guard let line = lines.popFirst() else { return nil }
            beginning = Mark(line, "BEGIN")
        }
        guard let label = beginning?.label else { return nil }
        var text: [UInt8] = []
        defer { text.wipe() }
        // The last document of a file may lack its end.
        while let line = lines.popFirst() {
            let end = Mark(line, "END")
            let content = end?.before ?? line
            guard !content.contains(UInt8(ascii: ":")) else {
                throw .unsupported("a PEM document has headers, as those of older tools that encrypt it")
            }
            text += content
            guard let end else { continue }
            guard end.label == label else { throw .malformed("a PEM document ends as another one") }
            break
        }
        return PEMDocument(label, try Self.decode(text))
    }

    /// The bytes encoded by base64 with blanks and line ends.
    static func decode(_ text: some Sequence<UInt8>) throws(ContainerError) -> SecretBytes {
        var digits = text.filter { !blanks.contains($0) }
        defer { digits.wipe() }
        guard var data = Data(base64Encoded: Data(digits)), !data.isEmpty else {
            throw .malformed("a PEM document is not base64")
        }
        var bytes = data.takeBytes()
        defer { bytes.wipe() }
        return SecretBytes(bytes)
    }

    private static let blanks = Set("\t\n\u{B}\u{C}\r ".utf8)

    /// A mark between dashes, anywhere in a line.
    private struct Mark {
        /// The text before it.
        let before: ArraySlice<UInt8>
        let label: String

        private static let dashes = Array("-----".utf8)

        init?(_ line: ArraySlice<UInt8>, _ word: String) {
            let opening = Self.dashes + Array("\(word) ".utf8)
            guard let start = Self.position(of: opening, in: line) else { return nil }
            let rest = line[(start + opening.count)...]
            guard let end = Self.position(of: Self.dashes, in: rest),
                let label = String(validating: rest[..<end], as: UTF8.self)
            else { return nil }
            before = line[..<start]
            self.label = label
        }

        private static func position(of part: [UInt8], in line: ArraySlice<UInt8>) -> Int? {
            guard line.count >= part.count else { return nil }
            return (line.startIndex...line.endIndex - part.count).first { line[$0...].starts(with: part) }
        }
    }
}
