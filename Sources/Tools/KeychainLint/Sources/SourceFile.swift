// SPDX-License-Identifier: Apache-2.0

/// A Swift file that was parsed.
package final class SourceFile: Sendable {
    /// The path as shown in findings.
    package let path: String
    package let text: [UInt8]
    package let tree: SwiftTree
    package let lines: LineTable
    package let imports: Set<String>
    package let isTest: Bool
    /// The folder of the package or project whose targets form one program.
    package let module: String

    package init(path: String, text: [UInt8], tree: SwiftTree, module: String, isTestTarget: Bool) {
        self.path = path
        self.text = text
        self.tree = tree
        self.module = module
        lines = LineTable(text)
        var imports: Set<String> = []
        Self.collect(tree.statements, &imports)
        self.imports = imports
        isTest = isTestTarget || imports.contains("XCTest") || imports.contains("Testing") || Self.isTestPath(path)
    }

    private static func collect(_ statements: [Statement], _ imports: inout Set<String>) {
        for statement in statements {
            switch statement.kind {
            case .importModule(let name): imports.insert(name)
            case .conditional(let clauses): for clause in clauses { collect(clause.body, &imports) }
            default: break
            }
        }
    }

    /// Whether a folder in the path is named for tests.
    static func isTestPath(_ path: String) -> Bool {
        path.split(separator: "/").contains { part in
            ["Tests", "UITests", "Specs", "TestSupport", "Mocks"].contains { part.hasSuffix($0) }
                || part.hasSuffix("Tests.swift") || part.hasSuffix("Spec.swift") || part.hasSuffix("Test.swift")
                || part == "Test" || part == "TestHelpers"
        }
    }

    /// Whether code at a path serves tests though it is in no test target: helpers, fixtures, vectors.
    static func isForTests(_ path: String) -> Bool {
        isTestPath(path)
            || path.split(separator: "/").contains { part in
                let part = part.lowercased()
                return [
                    "testing", "testutil", "testconst", "testhelp", "testsupport", "testdata", "testvector", "fixture",
                ]
                .contains { part.contains($0) }
                    || ["mock", "stub", "fake", "preview"].contains { part.hasPrefix($0) || part.hasPrefix("_" + $0) }
            }
    }

    package func text(_ range: ByteRange) -> String {
        let start = min(max(range.start, 0), text.count)
        let end = min(max(range.end, start), text.count)
        return String(decoding: text[start..<end], as: UTF8.self)
    }
}

/// Where the lines of a text start.
package struct LineTable: Sendable {
    /// Small integers, because there are many lines.
    private let starts: [UInt32]

    package init(_ text: [UInt8]) {
        var starts: [UInt32] = [0]
        text.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < bytes.count {
                if bytes[index] == 10 {
                    starts.append(UInt32(clamping: index + 1))
                } else if bytes[index] == 13 {
                    // In CRLF, the LF ends the line.
                    if index + 1 == bytes.count || bytes[index + 1] != 10 {
                        starts.append(UInt32(clamping: index + 1))
                    }
                }
                index += 1
            }
        }
        self.starts = starts
    }

    /// The line, from 1, of an offset.
    package func line(_ offset: Int) -> Int {
        var low = 0
        var high = starts.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if Int(starts[middle]) <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }

    /// The column, in bytes from 1, of an offset.
    package func column(_ offset: Int) -> Int { offset - start(ofLine: line(offset)) + 1 }

    /// The offset at which a line starts.
    package func start(ofLine line: Int) -> Int { Int(starts[max(0, min(line - 1, starts.count - 1))]) }

    package var count: Int { starts.count }
}
