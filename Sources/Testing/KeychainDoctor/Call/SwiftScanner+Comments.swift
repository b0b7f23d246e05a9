// SPDX-License-Identifier: Apache-2.0

/// Swift code as text.
package enum SwiftCode {
    /// Code without its comments and without the contents of multi-line strings, which may both look like directives
    /// and imports; each line keeps its number.
    package static func withoutComments(_ text: String) -> String {
        var scanner = SwiftScanner(text)
        return scanner.withoutComments()
    }
}

extension SwiftScanner {
    fileprivate mutating func withoutComments() -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        while let byte = peek {
            let start = position
            switch byte {
            case UInt8(ascii: "/") where isNext("//"): skipLine()
            case UInt8(ascii: "/") where isNext("/*"):
                skipComment()
                // Replaced by a space: the words before and after a comment are separate.
                bytes += [UInt8(ascii: " ")] + lineEnds(from: start)
            case UInt8(ascii: "\""),
                UInt8(ascii: "#") where isAtString:
                // One that is not closed ends with its line.
                let literal = (try? string()) ?? Array(text[start..<max(position, start + 1)])
                position = start + literal.count
                let ends = lineEnds(from: start)
                bytes += ends.isEmpty ? literal : ends
            default:
                bytes.append(byte)
                position += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func lineEnds(from start: Int) -> [UInt8] {
        text[start..<position].filter { $0 == 0x0A || $0 == 0x0D }
    }
}
