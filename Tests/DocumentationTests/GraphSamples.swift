// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The packages of `Tests/Graphs` that pages show; `Scripts/test-graphs` builds them.
struct GraphSamples {
    /// A page, the graphs that it shows, and what is called otherwise there.
    private static let pages: [(page: String, graphs: [String], names: [String: String])] = [
        ("./README.md", ["plain-wrapper"], [:]),
        ("./Documentation/ShippingATool.md", ["plain-wrapper"], [:]),
        ("./Documentation/Wrappers.md", ["toolset-wrapper", "plain-wrapper"], [:]),
        ("\(security)/PlainProduct.md", ["plain-product"], ["Tool": "ImportsFoundation"]),
        ("\(security)/PrivateName.md", ["private-name", "module-alias"], ["Tool": "Aliased"]),
        ("\(reexports)/PortableOS/PortableOS.docc/ImportingOS.md", ["plain-product"], ["App": "ImportsOS"]),
    ]

    /// The samples of code that only a graph has: the page and the graph.
    static let ofCode = [
        "./Documentation/Wrappers.md: plain-wrapper",
        "./Documentation/Wrappers.md: toolset-wrapper",
        "\(security)/PlainProduct.md: plain-product",
    ]

    private static let reexports = "./Sources/API/Reexports"
    private static let security = "\(reexports)/PortableSecurity/PortableSecurity.docc"

    private let graphs: [(name: String, lines: CompiledLines, manifest: ManifestText)]
    private let names: [String: String]

    /// Those of the page that a sample is in; `nil` for a page without any.
    init?(of sample: Sample) throws {
        guard let page = Self.pages.first(where: { sample.place.hasPrefix("\($0.page):") }) else { return nil }
        names = page.names
        graphs = try page.graphs.map { name in
            let folder = "Tests/Graphs/\(name)"
            let manifest = try Repository.lines(of: "\(folder)/Package.swift")
            return (
                name, try CompiledLines(Repository.files(in: [folder], ending: "swift")), ManifestText(lines: manifest)
            )
        }
    }

    /// The graph that has lines of code; `nil` if none does.
    func graph(with lines: [String]) -> String? { graphs.first { $0.lines.contain(lines) }?.name }

    /// The lines of a manifest that are not in that of a graph: of the graph that lacks the fewest.
    func missing(_ sample: Sample) -> [String] {
        let lines = sample.lines.map { line in
            names.reduce(line) { $0.replacingOccurrences(of: "\"\($1.key)\"", with: "\"\($1.value)\"") }
        }
        let missing = graphs.map { graph in lines.filter { !graph.manifest.contains($0) } }
        return missing.min { $0.count < $1.count } ?? lines
    }
}

/// A manifest without its layout.
struct ManifestText {
    private let text: String

    init(lines: [String]) { text = Self.plain(lines.map(Self.withoutComment).joined()) }

    /// Whether the manifest has what a line of a sample says.
    ///
    /// Not said by brackets and labels alone, nor by how a reader names this package: a graph takes the checkout.
    func contains(_ line: String) -> Bool {
        let line = Self.withoutComment(line)
        guard !line.hasPrefix(".package("), !line.hasSuffix("["), !line.hasSuffix("(") else { return true }
        return line.components(separatedBy: "…").map(Self.plain).allSatisfy { part in
            let part = part.trimmingCharacters(in: CharacterSet(charactersIn: ",)"))
            return !part.contains(where: \.isLetter) || text.contains(part)
        }
    }

    private static func plain(_ text: String) -> String {
        let text = text.filter { !$0.isWhitespace }
        return text.replacingOccurrences(of: ",]", with: "]").replacingOccurrences(of: ",)", with: ")")
    }

    private static func withoutComment(_ line: String) -> String {
        let line = " \(line)"
        let code = line.range(of: " //").map { line[..<$0.lowerBound] } ?? line[...]
        return code.trimmingCharacters(in: .whitespaces)
    }
}
