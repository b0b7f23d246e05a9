// SPDX-License-Identifier: Apache-2.0

import KeychainDoctor

/// Scans the sources of a package for the platform that they target: their imports, and the conditions around their
/// keychain code.
struct SourceSurvey {
    /// A line of a source.
    struct Place: Hashable, CustomStringConvertible {
        let path: String
        let line: Int

        var description: String { "\(path):\(line)" }
    }

    /// The first import of each module; a conditional one only if there is no other.
    private(set) var imports: [String: (place: Place, isGuarded: Bool)] = [:]

    /// The imports that do not compile on Linux: the first of each module that only Apple's platforms have.
    private(set) var appleOnlyImports: [(module: AppleOnlyModule, place: Place)] = []

    /// The first `@objc` or `@objcMembers` in a branch that Linux compiles, where it is an error.
    private(set) var objectiveCDeclaration: Place?

    /// The conditions around keychain code whose iOS branch, not whose macOS branch, is compiled on Linux.
    private(set) var iOSBranches: [Place] = []

    /// The conditions around keychain code whose macOS branch, not whose iOS branch, is compiled on Linux.
    private(set) var macOSBranches: [Place] = []

    /// Scans a Swift source.
    ///
    /// - Parameters:
    ///   - text: its contents.
    ///   - path: its path.
    ///   - isCompiled: whether it is known to be compiled, so that an import in it may fail.
    mutating func read(_ text: String, path: String, isCompiled: Bool = true) {
        var open: [Condition] = []
        let lines = SwiftCode.withoutComments(text).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, raw) in lines.enumerated() {
            let line = raw.drop(while: \.isWhitespace)
            let place = Place(path: path, line: index + 1)
            if line.hasPrefix("#") {
                directive(line, at: place, open: &open)
            } else if let module = Self.importedModule(line) {
                recordImport(of: module, place, isGuarded: !open.isEmpty)
                if isCompiled, open.allSatisfy(\.isCompiled) { recordAppleOnlyImport(of: module, place) }
            } else {
                if !open.isEmpty, Self.isAboutKeychain(line) {
                    for index in open.indices { open[index].isAboutKeychain = true }
                }
                if objectiveCDeclaration == nil, isCompiled, Self.isForObjectiveC(line), open.allSatisfy(\.isCompiled) {
                    objectiveCDeclaration = place
                }
            }
        }
    }

    /// Scans a source or a header in C, C++ or Objective-C for includes of the modules' headers.
    mutating func readC(_ text: String, path: String, modules names: [String]) {
        // Whether each open condition tests for the platform or for headers.
        var open: [Bool] = []
        for (index, raw) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = raw.drop(while: \.isWhitespace)
            guard line.first == "#" || line.first == "@" else { continue }
            let words = line.dropFirst().drop(while: \.isWhitespace)
            if words.hasPrefix("if") {
                open.append(Self.guards.contains { words.contains($0) })
            } else if words.hasPrefix("endif") {
                _ = open.popLast()
            } else if words.hasPrefix("include") || words.hasPrefix("import"),
                let name = names.first(where: { words.contains("<\($0)/") || words.contains("import \($0);") })
            {
                recordImport(of: name[...], Place(path: path, line: index + 1), isGuarded: open.contains(true))
            }
        }
    }

    private static let guards = ["__has_include", "__APPLE__", "__linux__", "TARGET_OS_"]

    private mutating func directive(_ line: Substring, at place: Place, open: inout [Condition]) {
        let isCompiled = open.allSatisfy(\.isCompiled)
        if line.hasPrefix("#if") {
            open.append(Condition(line.dropFirst("#if".count), place, isReached: isCompiled))
        } else if line.hasPrefix("#elseif"), !open.isEmpty {
            open[open.count - 1].begin(line.dropFirst("#elseif".count))
        } else if line.hasPrefix("#else"), !open.isEmpty {
            open[open.count - 1].begin("true")
        } else if line.hasPrefix("#endif"), let ended = open.popLast() {
            switch ended.branch {
            case .iOS: iOSBranches.append(ended.place)
            case .macOS: macOSBranches.append(ended.place)
            case .linux, nil: break
            }
        }
    }

    private mutating func recordImport(of module: Substring, _ place: Place, isGuarded: Bool) {
        let known = imports[String(module)]
        guard known == nil || (known?.isGuarded == true && !isGuarded) else { return }
        imports[String(module)] = (place, isGuarded)
    }

    private mutating func recordAppleOnlyImport(of module: Substring, _ place: Place) {
        guard let module = AppleOnlyModule(rawValue: String(module)),
            !appleOnlyImports.contains(where: { $0.module == module })
        else { return }
        appleOnlyImports.append((module, place))
    }

    /// The module of an import, regardless of attributes and kinds around it.
    private static func importedModule(_ line: Substring) -> Substring? {
        var words = line.split(separator: " ")[...]
        while let word = words.first, word.hasPrefix("@") || accessLevels.contains(word) { words.removeFirst() }
        guard words.popFirst() == "import" else { return nil }
        if let kind = words.first, kinds.contains(kind) { words.removeFirst() }
        return words.first.map { $0.prefix { $0 != "." && $0 != ";" } }
    }

    private static let accessLevels: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private", "open",
    ]
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
    ]

    private static func isAboutKeychain(_ line: Substring) -> Bool {
        ["kSec", "SecItem", "errSec", "SecKey", "SecAccess"].contains { line.contains($0) }
    }

    /// Whether a line has an attribute for Objective-C.
    private static func isForObjectiveC(_ line: Substring) -> Bool {
        line.split { $0.isWhitespace || $0 == "(" }.contains { $0 == "@objc" || $0 == "@objcMembers" }
    }

    /// A chain of branches, the branch of it that each platform compiles, and its place.
    private struct Condition {
        let place: Place
        var isAboutKeychain = false
        private let isReached: Bool
        private var branchNumber = 0
        private var taken: [CompilationCondition.Platform: Int] = [:]

        init(_ text: Substring, _ place: Place, isReached: Bool) {
            self.place = place
            self.isReached = isReached
            begin(text)
        }

        /// Begins the next branch.
        mutating func begin(_ text: Substring) {
            branchNumber += 1
            let condition = CompilationCondition(text: text)
            for platform in CompilationCondition.Platform.allCases
            where taken[platform] == nil && condition.holds(on: platform) {
                taken[platform] = branchNumber
            }
        }

        /// Whether Linux compiles the current branch.
        var isCompiled: Bool { isReached && taken[.linux] == branchNumber }

        /// The platform whose keychain code Linux compiles; `nil` if it is the same for all.
        var branch: CompilationCondition.Platform? {
            guard isReached, isAboutKeychain, taken[.iOS] != taken[.macOS] else { return nil }
            if taken[.linux] == taken[.macOS] { return .macOS }
            return taken[.linux] == taken[.iOS] ? .iOS : nil
        }
    }
}
