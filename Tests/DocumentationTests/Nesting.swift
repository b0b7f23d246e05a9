// SPDX-License-Identifier: Apache-2.0

/// Parentheses and brackets.
enum Nesting {
    /// The elements of a list that begins with its parenthesis, and where it ends.
    static func list(_ text: Substring) -> (elements: [Substring], end: Substring.Index) {
        var (elements, depth): ([Substring], Int) = ([], 0)
        var start = text.index(after: text.startIndex)
        for index in text.indices {
            switch text[index] {
            case "(", "<": depth += 1
            case ">" where text[..<index].last == "-": break
            case ")", ">": depth -= 1
            case "," where depth == 1:
                elements.append(text[start..<index].trimmed)
                start = text.index(after: index)
            default: break
            }
            if depth == 0 {
                let last = text[start..<index].trimmed
                return (last.isEmpty ? elements : elements + [last], text.index(after: index))
            }
        }
        return (elements, text.endIndex)
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }
}
