// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where a call came from: the file and the line of the innermost return address that is not of this package, looked up
/// in the program that made it, while it is there unchanged.
final class TracePlaces {
    private var known: [String: String] = [:]

    /// The place; what is known of the outermost address where no line is found.
    func place(of stack: [String]) -> String {
        for address in stack {
            if let place = line(of: address), !Self.isOurs(place) { return place }
        }
        return ""
    }

    private func line(of address: String) -> String? {
        if let line = known[address] { return line.isEmpty ? nil : line }
        let line = Self.lookUp(address)
        known[address] = line ?? ""
        return line
    }

    /// A path in this package's sources, or of the compiler's making.
    private static func isOurs(_ place: String) -> Bool {
        place.hasPrefix(sources) || place.contains("<compiler-generated>")
    }

    /// The folder of this package's sources, wherever it was compiled.
    private static let sources: String = {
        var path = Substring(#filePath)
        for _ in 0..<3 { path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }
        return path + "/"
    }()

    private static let tools = ["llvm-symbolizer", "addr2line"]

    /// Asks a tool that reads debug information; `nil` where there is none, or no line.
    private static func lookUp(_ address: String) -> String? {
        guard let separator = address.range(of: "+0x", options: .backwards),
            let offset = UInt(address[separator.upperBound...], radix: 16), offset > 0
        else { return nil }
        let image = String(address[..<separator.lowerBound])
        // Anything but a regular file might never come to its end.
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(fileURLWithPath: image).resolvingSymlinksInPath().path
        )
        guard image.hasPrefix("/"), attributes?[.type] as? FileAttributeType == .typeRegular,
            FileManager.default.isReadableFile(atPath: image)
        else { return nil }
        // A return address is behind the call.
        let arguments = ["-e", image, "0x" + String(offset - 1, radix: 16)]
        for tool in tools {
            guard let path = path(of: tool), let output = output(of: path, arguments) else { continue }
            let line = output.split(separator: "\n").first { $0.hasPrefix("/") && !$0.contains("?") }
            if let line { return place(String(line)) }
        }
        return nil
    }

    /// `FILE:LINE` of `FILE:LINE:COLUMN` or `FILE:LINE (discriminator N)`.
    private static func place(_ text: String) -> String {
        let parts = text.split(separator: " ")[0].split(separator: ":", omittingEmptySubsequences: false)
        return parts.prefix(2).joined(separator: ":")
    }

    private static func path(of tool: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.map { "\($0)/\(tool)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// A tool that takes longer is ended, and there is no line.
    private static let longestLookUpSeconds = 20.0

    private static func output(of path: String, _ arguments: [String]) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        do { try process.run() } catch { return nil }
        let end = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + longestLookUpSeconds, execute: end)
        defer { end.cancel() }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
