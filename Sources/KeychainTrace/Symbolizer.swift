// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The lines of addresses, by a tool that reads debug information: a toolchain has `llvm-symbolizer`, and binutils
/// `addr2line`.
package enum Symbolizer {
    /// A function that an address lies in; several are inlined into each other.
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

        /// Whether the compiler made it without a line of any file.
        package var isGenerated: Bool { path.hasSuffix("<compiler-generated>") }
    }

    /// The functions with lines at an address, from the inside out.
    ///
    /// - Returns: `nil` if there is no tool. Empty if none finds a line, as in an image that it cannot read.
    package static func frames(at address: ProgramAddress) -> [Frame]? {
        guard isRegularFile(address.image) else { return nil }
        let arguments = ["-f", "-i", "-e", address.image, "0x" + String(address.offset, radix: 16)]
        var frames: [Frame]?
        for tool in tools where frames?.isEmpty ?? true {
            guard let path = path(of: tool), let output = output(of: path, arguments) else { continue }
            frames = self.frames(in: output)
        }
        return frames
    }

    /// The folder of this package's sources.
    private static let sources: String = {
        var path = Substring(#filePath)
        for _ in 0..<2 { path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }
        return path + "/"
    }()

    private static let tools = ["llvm-symbolizer", "addr2line"]

    /// What a tool printed: for each function a line with its name, and one with its place.
    static func frames(in output: String) -> [Frame] {
        let lines = output.split(separator: "\n")
        return zip(lines, lines.dropFirst()).enumerated().compactMap { index, pair in
            index.isMultiple(of: 2) ? frame(pair.0, pair.1) : nil
        }
    }

    /// The place is `FILE:LINE:COLUMN`, or `FILE:LINE (discriminator N)`; a file or line that is not known is `?` or 0.
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

    /// A tool that takes longer is ended, and there is no line.
    private static let longestSeconds = 20.0

    private static func output(of path: String, _ arguments: [String]) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        // It would ask servers on the network for debug information.
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "DEBUGINFOD_URLS" }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        do { try process.run() } catch { return nil }
        let end = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + longestSeconds, execute: end)
        defer { end.cancel() }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
