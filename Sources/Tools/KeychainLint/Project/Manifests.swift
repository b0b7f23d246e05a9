// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The packages and projects that files belong to.
struct Manifests: Sendable {
    /// A folder with a Package.swift.
    private struct Package {
        var folder: String
        /// The platforms that it names.
        var platforms: Platforms
        /// The folders of its executable targets, relative to its own.
        var executables: [String]
    }

    /// The deepest first.
    private var packages: [Package] = []
    /// The folders of targets that need UIKit, and are never built for macOS, regardless of their package.
    private var foldersWithUIKit: Set<String> = []

    init(_ inputs: [Linter.InputFile]) {
        for input in inputs where input.path == "Package.swift" || input.path.hasSuffix("/Package.swift") {
            let text: String
            switch input.load {
            case .bytes(let bytes): text = String(decoding: bytes, as: UTF8.self)
            case .path(let path):
                text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
            }
            packages.append(
                Package(
                    folder: String(input.path.dropLast("Package.swift".count)),
                    platforms: Self.platforms(text),
                    executables: Self.executables(text)
                )
            )
        }
        packages.sort { $0.folder.count > $1.folder.count }
    }

    private static func platforms(_ manifest: String) -> Platforms {
        var result: Platforms = []
        // Only the package's list of platforms.
        guard let start = manifest.range(of: "platforms:") else { return [] }
        let list = manifest[start.upperBound...].prefix { $0 != "]" }
        if list.contains(".macOS") { result.insert(.macOS) }
        if list.contains(".iOS") { result.insert(.iOS) }
        if list.contains(".tvOS") || list.contains(".watchOS") || list.contains(".visionOS") { result.insert(.other) }
        return result
    }

    private static func executables(_ manifest: String) -> [String] {
        manifest.components(separatedBy: ".executableTarget(").dropFirst().compactMap { rest in
            let quoted = rest.components(separatedBy: "\"")
            guard quoted.count > 2, quoted[0].contains("name:") else { return nil }
            // Its path is in the same call: before the next target.
            let call = rest.components(separatedBy: "arget(")[0]
            let path = call.components(separatedBy: "path:").dropFirst().first?.components(separatedBy: "\"")
            return path.flatMap { $0.count > 2 ? $0[1] : nil } ?? "Sources/" + quoted[1]
        }
    }

    private func package(of path: String) -> Package? { packages.first { path.hasPrefix($0.folder) } }

    /// Whether a file belongs to an executable that SwiftPM builds, which is signed without entitlements.
    func isInExecutable(_ path: String) -> Bool {
        guard let package = package(of: path) else { return false }
        return package.executables.contains { path.hasPrefix(package.folder + $0 + "/") }
    }

    /// The program that a file is part of: a target of a package, or else everything that belongs to no package.
    func module(of path: String) -> String {
        guard let package = package(of: path) else { return "" }
        let parts = path.dropFirst(package.folder.count).split(separator: "/")
        guard parts.count > 2, ["Sources", "Tests", "Source", "Plugins", "Examples"].contains(parts[0]) else {
            return package.folder + "/"
        }
        // Tests see the targets that they test.
        return package.folder + "/"
    }

    /// What is known of the targets of projects: the platforms of the files in them.
    private var targets: [TargetPlatforms] = []
    private var entitlements: [EntitlementsText] = []

    private struct TargetPlatforms: Sendable {
        var platforms: Platforms
        var compiles: @Sendable (String) -> Bool
    }

    /// Reads the targets of Xcode projects, and of the files from which XcodeGen and Tuist make them.
    mutating func determineTargets(from texts: [Project.TextFile], _ swift: [SourceFile], _ parser: any SourceParser) {
        entitlements = texts.filter { $0.path.hasSuffix(".entitlements") }.map { EntitlementsText($0) }
        for text in texts where text.path.hasSuffix(".pbxproj") {
            guard let project = XcodeProject(text, in: texts) else { continue }
            for target in project.targets where !target.productType.contains("test") {
                var platforms: Platforms = []
                if target.isMac { platforms.insert(.macOS) }
                if target.isIOS { platforms.insert(.iOS) }
                targets.append(.init(platforms: platforms) { target.compiles($0) })
            }
        }
        for text in texts where text.name == "project.yml" || text.name == "project.yaml" {
            guard let root = try? parser.parse(yaml: text.text), let list = root["targets"] else { continue }
            let folder = String(text.path.dropLast(text.name.count))
            for (name, target) in list.pairs {
                guard let platform = target["platform"] ?? target["supportedDestinations"] else { continue }
                let words = [platform.string].compactMap(\.self) + platform.elements.compactMap(\.string)
                let sources = target["sources"]
                let paths =
                    [sources?.string].compactMap(\.self)
                    + (sources?.elements ?? []).compactMap { $0.string ?? $0["path"]?.string }
                add(Self.platforms(named: words), paths.isEmpty ? [name] : paths, in: folder)
            }
        }
        for file in swift where file.path == "Project.swift" || file.path.hasSuffix("/Project.swift") {
            guard file.imports.contains("ProjectDescription") else { continue }
            let folder = String(file.path.dropLast("Project.swift".count))
            for expression in SyntaxWalk.expressions(file.tree.statements) {
                guard case .call(let callee, let arguments) = expression.kind,
                    ["target", "Target"].contains(callee.lastName ?? "")
                else { continue }
                func text(_ label: String) -> String {
                    arguments.first { $0.label == label }.map { file.text($0.value.range) } ?? ""
                }
                let words = (text("platform") + " " + text("destinations")).split { !$0.isLetter }.map(String.init)
                let paths = text("sources").split(separator: "\"").map(String.init).filter { $0.contains("/") }
                add(Self.platforms(named: words), paths.map { String($0.prefix { $0 != "*" }) }, in: folder)
            }
        }
    }

    private mutating func add(_ platforms: Platforms, _ paths: [String], in folder: String) {
        guard !platforms.isEmpty else { return }
        let starts = paths.map { path in
            let path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
            return folder + (path.hasSuffix("/") ? path : path + "/")
        }
        targets.append(.init(platforms: platforms) { file in starts.contains { file.hasPrefix($0) } })
    }

    private static func platforms(named words: [String]) -> Platforms {
        var result: Platforms = []
        for word in words {
            switch word.lowercased() {
            case "macos", "mac": result.insert(.macOS)
            case "ios", "iphone", "ipad", "maccatalyst": result.insert(.iOS)
            case "tvos", "watchos", "visionos", "appletv", "applewatch", "applevision": result.insert(.other)
            default: continue
            }
        }
        return result
    }

    /// The platforms that a file can be built for.
    func platforms(of file: SourceFile) -> Platforms {
        var result = writtenPlatforms(of: file)
        let lacksGroups = !entitlements.contains { $0.opensDataProtectionKeychain }
        if result.contains(.macOS), isInExecutable(file.path), lacksGroups { result.insert(.unentitled) }
        return result
    }

    private func writtenPlatforms(of file: SourceFile) -> Platforms {
        if file.imports.contains("UIKit"), !file.imports.contains("AppKit") { return .iOS }
        if file.imports.contains("AppKit") || file.imports.contains("Cocoa"), !file.imports.contains("UIKit") {
            return .macOS
        }
        if foldersWithUIKit.contains(targetFolder(of: file.path)) { return .iOS }
        let owners = targets.filter { $0.compiles(file.path) && !$0.platforms.isEmpty }
        if !owners.isEmpty { return owners.reduce([]) { $0.union($1.platforms) } }
        let listed = package(of: file.path)?.platforms ?? []
        return listed.contains(.macOS) && listed != .macOS ? listed.union(.minimum) : listed
    }

    /// Determines from the parsed files which targets need UIKit.
    mutating func determineUIKitTargets(from files: [SourceFile]) {
        var withAppKit: Set<String> = []
        for file in files where !file.isTest {
            for case .importModule(let name) in file.tree.statements.lazy.map(\.kind) {
                if name == "UIKit" { foldersWithUIKit.insert(targetFolder(of: file.path)) }
                if name == "AppKit" || name == "Cocoa" { withAppKit.insert(targetFolder(of: file.path)) }
            }
        }
        foldersWithUIKit.subtract(withAppKit)
    }

    private func targetFolder(of path: String) -> String {
        let folder = package(of: path)?.folder ?? ""
        let parts = path.dropFirst(folder.count).split(separator: "/").dropLast()
        let isGrouped = parts.first.map { ["Sources", "Source", "Examples"].contains($0) } ?? false
        return folder + parts.prefix(isGrouped ? 2 : 1).joined(separator: "/")
    }
}
