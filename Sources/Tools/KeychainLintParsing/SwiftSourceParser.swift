// SPDX-License-Identifier: Apache-2.0
#if Lint
import KeychainLint
import SwiftParser
import SwiftSyntax

/// Parses with SwiftSyntax and Yams.
public struct SyntaxParser: SourceParser {
    /// Makes a parser.
    public init() {}

    package func parse(swift text: [UInt8]) -> SwiftTree {
        var text = text
        let hasRuns = BracketRuns.empty(in: &text)
        if BracketRuns.hasDeepInterpolation(text) {
            return SwiftTree(statements: [], comments: [], hasErrors: false, isTooDeep: true)
        }
        let parsed = text.withUnsafeBufferPointer {
            Parser.parse(source: $0, maximumNestingLevel: Self.maximumNestingLevel)
        }
        var converter = TreeConverter(text)
        let statements = converter.statements(parsed.statements)
        return SwiftTree(
            statements: statements,
            comments: Self.comments(text),
            hasErrors: parsed.hasError,
            isTooDeep: converter.isTooDeep || hasRuns
        )
    }

    /// Brackets that are nested more deeply do not parse.
    private static let maximumNestingLevel = 300

    /// The comments with directives for the linter, found without another traversal of the tree.
    private static func comments(_ text: [UInt8]) -> [SwiftTree.Comment] {
        let marker = Array("keychain-lint:".utf8)
        var result: [SwiftTree.Comment] = []
        for start in ByteSearch.occurrences(of: marker, in: text) {
            var end = start
            while end < text.count, text[end] != 10, text[end] != 13 { end += 1 }
            result.append(.init(text: String(decoding: text[start..<end], as: UTF8.self), offset: start))
        }
        return result
    }
}
#endif
