// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A block of Swift in a page, or in the comment of a declaration.
struct Sample {
    /// The file and the line that it begins after.
    let place: String
    let lines: [String]

    /// Whether it belongs into a `Package.swift`.
    var isPartOfAManifest: Bool {
        let beginnings = [".package(", ".product(", "dependencies:", ".target(", ".executableTarget(", ".testTarget("]
        return beginnings.contains { lines.first?.hasPrefix($0) ?? true }
    }

    /// Its lines in their plain form, divided where it has an ellipsis.
    var parts: [[String]] {
        lines.split { $0.contains("…") }.map { $0.compactMap(SourceLine.plain) }.filter { !$0.isEmpty }
    }

    /// The samples of all pages but those of the linter's rules, whose tests compile them, and of all comments.
    static func all() throws -> [Sample] {
        let pages = try Repository.files(in: ["."], ending: "md").filter { !$0.hasPrefix("./Documentation/Lint/") }
        let sources = try Repository.files(in: ["Sources"], ending: "swift")
        return try pages.flatMap { try samples(in: $0) { $0 } }
            + sources.flatMap { file in
                try samples(in: file) { line in
                    let line = line.drop { $0 == " " }
                    return line.hasPrefix("///") ? String(line.dropFirst(3)) : ""
                }
            }
    }

    private static func samples(in file: String, text: (String) -> String) throws -> [Sample] {
        var samples: [Sample] = []
        var open: (start: Int, lines: [String])?
        for (number, line) in try Repository.lines(of: file).enumerated() {
            let line = text(line).trimmingCharacters(in: .whitespaces)
            if let block = open, line.hasPrefix("```") {
                samples.append(Sample(place: "\(file):\(block.start)", lines: block.lines))
                open = nil
            } else if open != nil {
                open?.lines.append(line)
            } else if line == "```swift" {
                open = (number + 1, [])
            }
        }
        return samples
    }
}

/// A line of Swift without what may differ between a sample and the file that compiles it.
enum SourceLine {
    static func plain(_ line: String) -> String? {
        var line = line.trimmingCharacters(in: .whitespaces)
        guard !line.hasPrefix("//"), !line.hasPrefix("import "), !line.hasPrefix("@testable import ") else {
            return nil
        }
        for prefix in ["@Test ", "@Sendable ", "private "] where line.hasPrefix(prefix) {
            line.removeFirst(prefix.count)
        }
        if let comment = line.range(of: " // ") {
            line = line[..<comment.lowerBound].trimmingCharacters(in: .whitespaces)
        }
        return ["", "}"].contains(line) ? nil : line
    }
}

/// The lines of all Swift files that are compiled.
struct CompiledLines: Sendable {
    static let all = Result { try CompiledLines() }

    private var files: [[String]] = []
    private var places: [String: [(file: Int, line: Int)]] = [:]

    /// How far apart two lines of a sample may stand.
    private static let distance = 4

    private init() throws {
        let files = try Repository.files(in: ["Sources", "Tests", "Examples"], ending: "swift")
        // Those are packages of their own, which 'swift test' does not build.
        try self.init(files.filter { !$0.hasPrefix("Tests/Graphs/") && !$0.hasPrefix("Tests/Lint/") })
    }

    /// The lines of some files.
    init(_ paths: [String]) throws {
        for file in paths {
            let lines = try Repository.lines(of: file).compactMap(SourceLine.plain)
            for (number, line) in lines.enumerated() { places[line, default: []].append((files.count, number)) }
            files.append(lines)
        }
    }

    /// Whether a file has these lines in this order, close together.
    func contain(_ lines: [String]) -> Bool {
        places[lines[0], default: []].contains { place in
            let file = files[place.file]
            var next = place.line + 1
            return lines.dropFirst().allSatisfy { line in
                let window = file[next..<min(file.count, next + Self.distance)]
                guard let found = window.firstIndex(of: line) else { return false }
                next = found + 1
                return true
            }
        }
    }
}

/// The checkout that these tests were built from.
enum Repository {
    static let root = #filePath.components(separatedBy: "/Tests/DocumentationTests/")[0]

    /// The files in folders, by their paths in the repository; build folders and hidden ones are left out.
    static func files(in folders: [String], ending: String) throws -> [String] {
        try folders.flatMap { folder in
            guard let found = FileManager.default.enumerator(atPath: "\(root)/\(folder)") else {
                throw CocoaError(.fileNoSuchFile)
            }
            return found.compactMap { $0 as? String }
                .filter { $0.hasSuffix(".\(ending)") && !$0.hasPrefix(".") && !$0.contains("/.") }
                .map { "\(folder)/\($0)" }
        }
    }

    static func lines(of file: String) throws -> [String] {
        try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8).components(separatedBy: "\n")
    }
}
