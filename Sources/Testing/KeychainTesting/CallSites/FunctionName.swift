// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A function's readable name, from its demangled name: `a closure in Session.refresh()`.
struct FunctionName: CustomStringConvertible {
    /// The names from that of the module to the function's own, such as `Session.Session.refresh`.
    let path: String

    /// The same without the module, if something else remains.
    private let names: [Substring]
    private let isClosure: Bool

    /// Whether it belongs to a system library; the generic functions of those are compiled into every program.
    let isOfSystem: Bool

    init(demangled: String) {
        // "closure #1 () -> () in M.T.f() -> ()", "(1) suspend resume partial function for M.T.f() -> ()"
        let whole = Self.afterLast([" function for ", "> of "], in: demangled)
        isClosure = whole.hasPrefix("closure #") || whole.hasPrefix("implicit closure #")
        var text = whole
        let extended = Self.removeExtension(from: &text)
        text = Self.afterLast([" in "], in: Self.withoutDiscriminators(text))
        for prefix in ["static ", "async ", "dispatch thunk of "] where text.hasPrefix(prefix) {
            text.removeFirst(prefix.count)
        }
        let end = text.firstIndex { "(<".contains($0) } ?? text.endIndex
        let names = text[..<end].split(separator: ".", omittingEmptySubsequences: true)
        path = names.joined(separator: ".")
        self.names = names.count > 1 ? Array(names.dropFirst()) : names
        isOfSystem = Self.systemModules.contains(extended ?? names.first.map(String.init) ?? "")
    }

    private static let systemModules: Set = [
        "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Foundation", "FoundationEssentials",
        "Dispatch",
        "Testing", "XCTest", "Runtime",
    ]

    /// The function alone, such as `SecItemAdd`.
    var called: String? { names.last.map(String.init) }

    var description: String {
        let name = names.suffix(2).joined(separator: ".")
        return isClosure ? "a closure in \(name)()" : "\(name)()"
    }

    /// Removes "(extension in M):".
    ///
    /// - Returns: The module of the last one.
    private static func removeExtension(from text: inout String) -> String? {
        var module: String?
        while let start = text.range(of: "(extension in "), let end = text[start.upperBound...].range(of: "):") {
            module = String(text[start.upperBound..<end.lowerBound])
            text.removeSubrange(start.lowerBound..<end.upperBound)
        }
        return module
    }

    /// Without the file of a private name: "(f in _0123456789ABCDEF)".
    private static func withoutDiscriminators(_ text: String) -> String {
        var text = text
        while let start = text.range(of: " in _"), let end = text[start.upperBound...].firstIndex(of: ")"),
            let open = text[..<start.lowerBound].lastIndex(of: "(")
        {
            text.removeSubrange(start.lowerBound...end)
            text.remove(at: open)
        }
        return text
    }

    private static func afterLast(_ separators: [String], in text: String) -> String {
        separators.reduce(text) { text, separator in
            text.range(of: separator, options: .backwards).map { String(text[$0.upperBound...]) } ?? text
        }
    }
}
