// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Finds the files of a tree that rules check.
public struct Discovery: Sendable {
    /// The files, their paths relative to the given root.
    var files: [Linter.InputFile] = []

    /// The skipped files.
    var skipped: [Linter.Skipped] = []

    private static let skippedFolders: Set<String> = [
        ".git", ".build", ".swiftpm", "DerivedData", "Pods", "Carthage", "node_modules", "Vendor", "ThirdParty",
        "vendor", "SourcePackages", "checkouts", ".mirror",
    ]

    /// Searches files and folders.
    ///
    /// - Parameters:
    ///   - paths: Files and folders.
    ///   - excluded: Patterns of paths to exclude: parts of the path, with `*` for anything.
    init(_ paths: [String], excluded: [String] = []) {
        var seen: Set<String> = []
        for path in paths {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                skipped.append(.init(file: path, reason: .missing))
                continue
            }
            if isFolder.boolValue {
                var visited: Set<String> = []
                walk(path, at: "", excluding: excluded, visited: &visited, seen: &seen, depth: 0)
            } else if seen.insert(path).inserted {
                let name = path.split(separator: "/").last.map(String.init) ?? path
                files.append(.init(path: paths.count == 1 ? name : path, load: .path(path)))
            }
        }
    }

    private mutating func walk(
        _ root: String,
        at relative: String,
        excluding excluded: [String],
        visited: inout Set<String>,
        seen: inout Set<String>,
        depth: Int
    ) {
        let folder = relative.isEmpty ? root : root + "/" + relative
        // A folder that symbolic links reach twice is searched once.
        let real = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        guard depth < 64, visited.insert(real).inserted else { return }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            skipped.append(.init(file: relative.isEmpty ? root : relative, reason: .unreadable))
            return
        }
        for name in names.sorted() {
            let path = relative.isEmpty ? name : relative + "/" + name
            if excluded.contains(where: { Self.matches(path, $0) }) { continue }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isFolder) else { continue }
            if isFolder.boolValue {
                let isSkipped =
                    Self.skippedFolders.contains(name) || name.hasPrefix(".build-")
                    || name.hasSuffix(".xcassets") || name.hasSuffix(".lproj") || name.hasSuffix(".framework")
                    || name.hasSuffix(".xcframework")
                if !isSkipped {
                    walk(root, at: path, excluding: excluded, visited: &visited, seen: &seen, depth: depth + 1)
                }
            } else if Self.isLintable(name, path), seen.insert(real + "/" + name).inserted {
                files.append(.init(path: path, load: .path(root + "/" + path)))
            }
        }
    }

    /// Whether rules check files with this name.
    static func isLintable(_ name: String, _ path: String) -> Bool {
        let endings = [
            ".swift", ".entitlements", ".xcconfig", ".pbxproj", ".yml", ".yaml", ".sh", ".bash", ".zsh", ".mk",
            ".plist",
            ".rb", ".rake", "Fastfile",
        ]
        if endings.contains(where: { name.hasSuffix($0) }) { return true }
        return ["Makefile", "GNUmakefile", "Matchfile", "Rakefile"].contains(name)
    }

    /// Whether a part of a path matches a pattern.
    static func matches(_ path: String, _ pattern: String) -> Bool {
        let pattern = pattern.hasSuffix("/") ? String(pattern.dropLast()) : pattern
        if path == pattern || path.hasPrefix(pattern + "/") { return true }
        guard pattern.contains("*") else { return false }
        return match(Array(path.utf8)[...], Array(pattern.utf8)[...])
    }

    private static func match(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == UInt8(ascii: "*") {
            let rest = pattern.drop { $0 == UInt8(ascii: "*") }
            if rest.isEmpty { return true }
            return text.indices.contains { match(text[$0...], rest) }
        }
        guard let character = text.first, character == first else { return false }
        return match(text.dropFirst(), pattern.dropFirst())
    }
}

extension Linter {
    /// Lints the files of a tree.
    public func lint(paths: [String], excluded: [String] = [], options: Options = Options()) -> Outcome {
        let discovery = Discovery(paths, excluded: excluded)
        var outcome = lint(discovery.files, options: options)
        outcome.skipped = discovery.skipped + outcome.skipped
        return outcome
    }
}
