// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainHost

/// Looks up the lines of addresses with a tool that reads debug information: `llvm-symbolizer` of a toolchain, or
/// `addr2line` of binutils.
package enum Symbolizer {
    /// A function that contains an address; several may be inlined into each other.
    package struct Frame: Equatable, Sendable {
        /// The symbol, mangled.
        package let symbol: String
        /// The file, and the line from 1.
        package let path: String
        package let line: Int
        /// From 1; 0 if it is not known.
        package let column: Int

        package init(symbol: String, path: String, line: Int, column: Int) {
            (self.symbol, self.path, self.line, self.column) = (symbol, path, line, column)
        }

        /// Whether the file is in this package's sources, wherever they were compiled.
        package var isOfPackage: Bool { path.hasPrefix(Symbolizer.sources) }

        /// Whether the compiler generated it, without a line in any file.
        package var isGenerated: Bool { path.hasSuffix("<compiler-generated>") }
    }

    /// The functions and lines at addresses, from the inside out.
    ///
    /// Reading an image takes long; further addresses in it cost nothing.
    ///
    /// - Returns: No entry for an address that no tool could look up; an empty entry if no line was found.
    package static func frames(at addresses: [ProgramAddress]) -> [ProgramAddress: [Frame]] {
        var frames: [ProgramAddress: [Frame]] = [:]
        for (image, addresses) in Dictionary(grouping: Set(addresses), by: \.image) where isRegularFile(image) {
            for tool in tools.compactMap(path(of:)) {
                let missing = addresses.filter { frames[$0]?.isEmpty ?? true }
                if missing.isEmpty { break }
                frames.merge(self.frames(at: missing, in: image, by: tool)) { $1 }
            }
        }
        return frames
    }

    private static func frames(
        at addresses: [ProgramAddress],
        in image: String,
        by tool: String
    ) -> [ProgramAddress: [Frame]] {
        let offsets = addresses.map { "0x" + String($0.offset, radix: 16) }
        guard let output = output(of: tool, ["-a", "-f", "-i", "-e", image] + offsets) else { return [:] }
        let sections = sections(of: output)
        guard sections.count == addresses.count else { return [:] }
        return Dictionary(uniqueKeysWithValues: zip(addresses, sections.map(frames(in:))))
    }

    /// The folder of this package's sources.
    private static let sources = #filePath.components(separatedBy: "/API/KeychainTrace/")[0] + "/"

    private static let tools = ["llvm-symbolizer", "addr2line"]

    /// The output of a tool, without the address lines that begin each section.
    static func sections(of output: String) -> [[Substring]] {
        output.split(separator: "\n").reduce(into: []) { sections, line in
            if line.wholeMatch(of: /0x[0-9a-f]+/) != nil {
                sections.append([])
            } else if !sections.isEmpty {
                sections[sections.count - 1].append(line)
            }
        }
    }

    /// The functions of a section: for each a line with its name, and one with its place.
    static func frames(in lines: [Substring]) -> [Frame] {
        zip(lines, lines.dropFirst()).enumerated().compactMap { index, pair in
            index.isMultiple(of: 2) ? frame(pair.0, pair.1) : nil
        }
    }

    /// The place is `FILE:LINE:COLUMN`, or `FILE:LINE (discriminator N)`; an unknown file or line is `?` or 0.
    private static func frame(_ symbol: Substring, _ place: Substring) -> Frame? {
        guard let match = place.wholeMatch(of: /(\/.*?):(\d+)(?::(\d+))?(?: \(discriminator \d+\))?/),
            let line = Int(match.2), line > 0
        else { return nil }
        let column = match.3.flatMap { Int($0) } ?? 0
        return Frame(symbol: String(symbol), path: String(match.1), line: line, column: column)
    }

    /// Anything but a regular file might never come to its end.
    private static func isRegularFile(_ path: String) -> Bool {
        guard path.hasPrefix("/"), FileManager.default.isReadableFile(atPath: path) else { return false }
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let type = try? FileManager.default.attributesOfItem(atPath: target)[.type]
        return type as? FileAttributeType == .typeRegular
    }

    private static func path(of tool: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.map { "\($0)/\(tool)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// A tool that takes longer is killed, and there is no line.
    private static let longestMilliseconds: Int32 = 20_000

    private static func output(of path: String, _ arguments: [String]) -> String? {
        // Otherwise it would request debug information from servers on the network.
        let environment = ProcessInfo.processInfo.environment.filter { $0.key != "DEBUGINFOD_URLS" }
        let program = try? CapturedProgram(
            [path] + arguments,
            environment: environment.map { "\($0.key)=\($0.value)" },
            input: .null,
            errors: .null,
            atMost: longestMilliseconds
        )
        guard let program, program.status == 0 else { return nil }
        return String(decoding: program.output, as: UTF8.self)
    }
}
