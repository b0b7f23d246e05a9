// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

/// Goes through the lines of a file of PEM documents.
struct PEMReader {
    private var lines: ArraySlice<ArraySlice<UInt8>>

    init(_ bytes: some Sequence<UInt8>) {
        let newLines: Set<UInt8> = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        lines = Array(bytes).split { newLines.contains($0) }[...]
    }

    /// Whether a document begins anywhere.
    var hasBeginning: Bool { lines.contains { Self.label($0, "BEGIN") != nil } }

    /// The next document; `nil` at the end.
    mutating func next() throws(ContainerError) -> PEMDocument? {
        var label: String?
        while label == nil {
            guard let line = lines.popFirst() else { return nil }
            label = Self.label(line, "BEGIN")
        }
        guard let label else { return nil }
        var text: [UInt8] = []
        defer { text.wipe() }
        while let line = lines.popFirst() {
            if let end = Self.label(line, "END") {
                guard end == label else { break }
                return PEMDocument(label, try Self.decode(text))
            }
            guard !line.contains(UInt8(ascii: ":")) else {
                throw .unsupported("a PEM document has headers, as those of older tools that encrypt it")
            }
            text += line.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        }
        throw .malformed("a PEM document has no end")
    }

    private static func decode(_ text: [UInt8]) throws(ContainerError) -> SecretBytes {
        guard var data = Data(base64Encoded: Data(text)), !data.isEmpty else {
            throw .malformed("a PEM document is not base64")
        }
        var bytes = data.takeBytes()
        defer { bytes.wipe() }
        return SecretBytes(bytes)
    }

    /// The label of a line of dashes.
    private static func label(_ line: ArraySlice<UInt8>, _ word: String) -> String? {
        let dashes = Array("-----".utf8)
        let start = dashes + Array("\(word) ".utf8)
        let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        var line = line
        while let last = line.last, blanks.contains(last) { line = line.dropLast() }
        guard line.starts(with: start), line.count >= start.count + dashes.count, Array(line.suffix(5)) == dashes
        else { return nil }
        return String(validating: line.dropFirst(start.count).dropLast(dashes.count), as: UTF8.self)
    }
}
