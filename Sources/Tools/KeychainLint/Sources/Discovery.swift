// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Finds the files of a tree that rules check.
public struct Discovery: Sendable {
    /// The files, their paths relative to ``base``.
    var files: [Linter.InputFile] = []

    /// The skipped files.
    var skipped: [Linter.Skipped] = []

    /// The folder that paths are relative to: the one that was given, or the deepest that has all that were.
    public let base: String

    /// The given files and folders, relative to ``base``.
    private let roots: [String]
    private let choice: PathChoice
    private let choicePrefix: String

    private static let skippedFolders: Set<String> = [
        ".git", ".build", ".swiftpm", "DerivedData", "Pods", "Carthage", "node_modules", "Vendor", "ThirdParty",
        "vendor", "SourcePackages", "checkouts", ".mirror",
    ]

    /// Searches files and folders.
    ///
    /// - Parameters:
    ///   - paths: Files and folders.
    ///   - choice: Which of their files are linted.
    public init(_ paths: [String], choice: PathChoice = PathChoice()) {
        self.choice = choice
        var found: [(path: String, isFolder: Bool)] = []
        for path in paths {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
                found.append((PathName.absolute(path), isFolder.boolValue))
            } else {
                skipped.append(.init(file: path, reason: .missing))
            }
        }
        let base = PathName.commonFolder(found.map { $0.isFolder ? $0.path : PathName.folder(of: $0.path) })
        self.base = base
        choicePrefix = choice.folder.map { PathName.prefix(of: base, in: $0) } ?? ""
        roots = found.map { $0.path == base ? "" : PathName.relative($0.path, to: base) }
        var seen: Set<String> = []
        var visited: Set<String> = []
        for ((path, isFolder), relative) in zip(found, roots) {
            if isFolder {
                walk(relative, visited: &visited, seen: &seen, depth: 0)
            } else if seen.insert(PathName.resolved(path)).inserted, choice.includes(relative, below: choicePrefix) {
                files.append(.init(path: relative, load: .path(path)))
            }
        }
    }

    private mutating func walk(_ relative: String, visited: inout Set<String>, seen: inout Set<String>, depth: Int) {
        let folder = relative.isEmpty ? base : PathName.joined(base, relative)
        // A folder that symbolic links reach twice is searched once.
        let real = PathName.resolved(folder)
        guard depth < 64, visited.insert(real).inserted else { return }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            skipped.append(.init(file: relative.isEmpty ? base : relative, reason: .unreadable))
            return
        }
        for name in names.sorted() {
            let path = relative.isEmpty ? name : relative + "/" + name
            if choice.excludes(path, below: choicePrefix) { continue }
            var isFolder: ObjCBool = false
            let full = PathName.joined(base, path)
            guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder) else { continue }
            if isFolder.boolValue {
                if !Self.isSkippedFolder(name) { walk(path, visited: &visited, seen: &seen, depth: depth + 1) }
            } else if Self.isLintable(name), choice.includes(path, below: choicePrefix),
                seen.insert(real + "/" + name).inserted
            {
                files.append(.init(path: path, load: .path(full)))
            }
        }
    }

    private static func isSkippedFolder(_ name: String) -> Bool {
        skippedFolders.contains(name) || name.hasPrefix(".build-") || name.hasSuffix(".xcassets")
            || name.hasSuffix(".lproj") || name.hasSuffix(".framework") || name.hasSuffix(".xcframework")
    }

    /// Whether the search would find a file at a path, if it were there.
    func reaches(_ path: String) -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        guard let name = parts.last, Self.isLintable(name), !parts.dropLast().contains(where: Self.isSkippedFolder)
        else { return false }
        let isBelow = roots.contains { $0.isEmpty || path == $0 || path.hasPrefix($0 + "/") }
        return isBelow && !choice.excludes(path, below: choicePrefix) && choice.includes(path, below: choicePrefix)
    }

    /// Whether rules check files with this name.
    static func isLintable(_ name: String) -> Bool {
        let endings = [
            ".swift", ".entitlements", ".xcconfig", ".pbxproj", ".yml", ".yaml", ".sh", ".bash", ".zsh", ".mk",
            ".plist", ".rb", ".rake", "Fastfile",
        ]
        if endings.contains(where: { name.hasSuffix($0) }) { return true }
        return ["Makefile", "GNUmakefile", "Matchfile", "Rakefile"].contains(name)
    }
}

/// Which files below the given paths are linted.
public struct PathChoice: Sendable {
    /// Patterns of the only paths to lint; empty for all.
    public var included: [String] = []

    /// Patterns of paths to leave out.
    public var excluded: [String] = []

    /// The folder that patterns may also be relative to: that of the configuration.
    public var folder: String?

    /// The default: everything.
    public init(included: [String] = [], excluded: [String] = [], folder: String? = nil) {
        self.included = included
        self.excluded = excluded
        self.folder = folder
    }

    func excludes(_ path: String, below prefix: String) -> Bool {
        excluded.contains { Self.matches(path, $0) || Self.matches(prefix + path, $0) }
    }

    func includes(_ path: String, below prefix: String) -> Bool {
        included.isEmpty || included.contains { Self.matches(path, $0) || Self.matches(prefix + path, $0) }
    }

    /// Whether a path is, or is below, what a pattern names: parts of a path, with `*` for anything.
    static func matches(_ path: String, _ pattern: String) -> Bool {
        let pattern = pattern.hasSuffix("/") ? String(pattern.dropLast()) : pattern
        if pattern == "." || path == pattern || path.hasPrefix(pattern + "/") { return true }
        guard pattern.contains("*") else { return false }
        return match(Array(path.utf8), Array(pattern.utf8))
    }

    /// Goes back to the last `*` where what follows it does not fit.
    private static func match(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
        var position = 0
        var index = 0
        var star: (index: Int, position: Int)?
        while position < text.count {
            if index < pattern.count, pattern[index] == UInt8(ascii: "*") {
                star = (index, position)
                index += 1
            } else if index < pattern.count, pattern[index] == text[position] {
                index += 1
                position += 1
            } else if let last = star {
                star = (last.index, last.position + 1)
                index = last.index + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

extension Linter {
    /// Lints the files of a tree; their paths are relative to the folder that all of them lie in.
    public func lint(
        paths: [String],
        choice: PathChoice = PathChoice(),
        options: Options = Options()
    ) -> Outcome {
        lint(Discovery(paths, choice: choice), options: options)
    }

    /// Lints files that were found.
    public func lint(_ discovery: Discovery, options: Options) -> Outcome {
        var outcome = lint(discovery.files, options: options)
        outcome.skipped = discovery.skipped + outcome.skipped
        return outcome
    }

    /// Lints the text of a file that need not be saved; together with other files, if some are given.
    public func lint(_ text: [UInt8], at path: String, among others: Discovery?, options: Options) -> Outcome {
        var files = (others?.files ?? []).filter { $0.path != path }
        files.append(.init(path: path, load: .bytes(text)))
        return lint(files, options: options)
    }

    /// Lints the state that files had before a change.
    public func lint(_ state: FormerState, of discovery: Discovery, options: Options) -> Outcome {
        guard let changed = state.files else { return Outcome() }
        var files = discovery.files.filter { changed[$0.path] == nil }
        for (path, file) in changed.sorted(by: { $0.key < $1.key }) where discovery.reaches(path) {
            if case .text(let data) = file { files.append(.init(path: path, load: .bytes(Array(data)))) }
        }
        var options = options
        options.formerGroups = nil
        return lint(files, options: options)
    }
}

/// What was different in a folder before a change.
public struct FormerState: Sendable {
    /// A file that is changed.
    public enum File: Sendable {
        /// It was not there.
        case absent
        /// What it contained.
        case text(Data)
    }

    /// The changed files by their paths, and those that are gone; nil if nothing was there.
    public var files: [String: File]?

    /// The keychain access groups of entitlements files, by path.
    public var accessGroups: [String: [String]]

    /// Makes a state.
    public init(files: [String: File]?, accessGroups: [String: [String]]) {
        self.files = files
        self.accessGroups = accessGroups
    }
}
