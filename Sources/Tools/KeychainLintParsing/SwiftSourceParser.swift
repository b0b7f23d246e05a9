// SPDX-License-Identifier: Apache-2.0
#if Lint
import KeychainLint
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Parses with SwiftSyntax and Yams.
public struct SyntaxParser: SourceParser {
    /// Makes a parser.
    public init() {}

    package func parse(swift text: [UInt8]) -> SwiftTree {
        let parsed = text.withUnsafeBufferPointer { Parser.parse(source: $0, maximumNestingLevel: 160) }
        let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
        var converter = TreeConverter()
        let statements = converter.statements(folded.as(SourceFileSyntax.self)?.statements)
        return SwiftTree(statements: statements, comments: Self.comments(text), hasErrors: parsed.hasError)
    }

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
