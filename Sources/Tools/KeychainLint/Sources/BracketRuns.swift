// SPDX-License-Identifier: Apache-2.0

/// Texts for which the parser takes too much time or memory.
///
/// At square brackets that open one after the other, such as `[[[[[[`, it looks ahead twice at each, so that every
/// further one doubles its time.
package enum BracketRuns {
    /// Nobody writes arrays of so many dimensions.
    private static let maximumLength = 12

    /// Empties literals that begin with more brackets than that; all other bytes keep their places.
    ///
    /// - Returns: Whether there were any.
    package static func empty(in text: inout [UInt8]) -> Bool {
        var found = false
        var run: [Int] = []
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "["):
                run.append(index)
                if run.count > maximumLength {
                    found = true
                    index = emptied(&text, from: run[0])
                    run = []
                }
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
            default: run = []
            }
            index += 1
        }
        return found
    }

    /// Replaces what is between a bracket and the one that closes it by spaces; lines stay.
    ///
    /// - Returns: Where the closing bracket is.
    private static func emptied(_ text: inout [UInt8], from start: Int) -> Int {
        var depth = 0
        for index in start..<text.count {
            switch text[index] {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            default: break
            }
            if depth == 0 { return index }
            if index > start, text[index] != 10, text[index] != 13 { text[index] = UInt8(ascii: " ") }
        }
        return text.count
    }

    /// Whether strings stand in interpolations of strings so deeply that the parser takes memory without bounds.
    package static func hasDeepInterpolation(_ text: [UInt8]) -> Bool {
        var depth = 0
        for index in text.indices.dropLast() {
            if text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "(") {
                depth += 1
                if depth > maximumInterpolationDepth { return true }
            } else if text[index] == UInt8(ascii: ")") {
                depth = 0
            }
        }
        return false
    }

    private static let maximumInterpolationDepth = 100
}
