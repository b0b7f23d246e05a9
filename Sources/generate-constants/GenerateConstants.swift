// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceGeneration

/// Writes the generated Swift files of this package, or checks that they are up to date.
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
        for file in ConstantSources.files where !isUpToDate(file, below: root) {
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
