// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes the generated Swift files of this package and the module map, or checks that they are up to date.
@main
struct GenerateConstants {
    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isCheck = arguments.contains("--check")
        arguments.removeAll { $0 == "--check" }
        guard arguments.count <= 1, arguments.allSatisfy({ !$0.hasPrefix("-") }) else {
            FileHandle.standardError.write(Data("usage: generate-constants [PACKAGE-ROOT] [--check]\n".utf8))
            exit(2)
        }
        let root = URL(fileURLWithPath: arguments.first ?? FileManager.default.currentDirectoryPath)

        var differing: [String] = []
        for file in try ConstantSources.files + [moduleMap(below: root)] where !isUpToDate(file, below: root) {
            differing.append(file.path)
            if !isCheck {
                try write(file, below: root)
            }
        }
        for path in differing {
            print(path)
        }
        if isCheck, !differing.isEmpty {
            exit(1)
        }
    }

    /// A page without the two comments that delimit the map.
    private struct MissingPlace: Error {
        let page: String
    }

    /// The architecture page, with the manifest's module map.
    private static func moduleMap(below root: URL) throws -> GeneratedFile {
        let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let page = try String(contentsOf: root.appendingPathComponent(ModuleMap.page), encoding: .utf8)
        guard let contents = ModuleMap(manifest: manifest).written(into: page) else {
            throw MissingPlace(page: ModuleMap.page)
        }
        return GeneratedFile(path: ModuleMap.page, contents: contents)
    }

    private static func isUpToDate(_ file: GeneratedFile, below root: URL) -> Bool {
        (try? Data(contentsOf: root.appendingPathComponent(file.path))) == Data(file.contents.utf8)
    }

    private static func write(_ file: GeneratedFile, below root: URL) throws {
        let url = root.appendingPathComponent(file.path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(file.contents.utf8).write(to: url, options: .atomic)
    }
}
