// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainHost

/// Information about a package for a test run.
struct PackageSurvey {
    /// Its name.
    let name: String

    /// The identities of all packages in its graph.
    let dependencies: Set<String>

    /// Whether one of them is this package: recognized by its product, because a copy or a fork has another identity.
    let dependsOnKeychain: Bool

    /// The findings from its sources and those of its dependencies.
    let sources: SourceSurvey

    /// The entitlements files in its folder, by relative path; the nearest ones first.
    let entitlements: [String]

    /// The team in its Xcode projects, if they name one.
    let developmentTeam: String?

    /// Its folder.
    let folder: URL

    /// Queries the package manager, and reads the sources.
    ///
    /// - Parameters:
    ///   - arguments: the arguments of `swift test`.
    ///   - output: runs a program to completion, and returns its output.
    /// - Throws: ``Refusal`` if there is no package.
    init(_ arguments: SwiftTestArguments, output: ([String]) throws(Refusal) -> String) throws(Refusal) {
        let package = ["swift", "package"] + arguments.ofPackage
        let description = try Self.decode(Description.self, output(package + ["describe", "--type", "json"]))
        // Not the requested folder: the package manager finds the package that contains it.
        folder = URL(fileURLWithPath: description.path).resolvingSymlinksInPath()
        var survey = SourceSurvey()
        for target in description.targets {
            // The package manager does not name the headers of a target in C.
            let headers = Self.files(in: folder.appendingPathComponent(target.path), except: Self.foldersOfOthers)
                .filter { $0.hasSuffix(".h") && target.sources.contains(where: Self.isC) }
            for source in target.sources + headers {
                let path = "\(target.path)/\(source)"
                Self.read(folder.appendingPathComponent(path), path: path, into: &survey)
            }
        }
        var identities: Set<String> = []
        var folders: [URL] = []
        if description.dependencies?.isEmpty == false {
            let graph = try Self.decode(Graph.self, output(package + ["show-dependencies", "--format", "json"]))
            for dependency in graph.dependencies {
                Self.read(dependency, identities: &identities, folders: &folders, into: &survey)
            }
        }
        dependsOnKeychain = folders.contains(where: Self.isKeychain)
        name = description.name
        dependencies = identities
        sources = survey
        let files = Self.files(in: folder, except: Self.foldersOfOthers)
        entitlements = files.filter { $0.hasSuffix(".entitlements") }
            .sorted { ($0.split(separator: "/").count, $0) < ($1.split(separator: "/").count, $1) }
        let teams = Set(
            files.filter { $0.hasSuffix(".pbxproj") || $0.hasSuffix(".xcconfig") }
                .flatMap { [folder] in Self.developmentTeams(in: folder.appendingPathComponent($0)) }
        )
        developmentTeam = teams.count == 1 ? teams.first : nil
    }

    /// The parts of the output of `swift package describe` that are used here.
    private struct Description: Decodable {
        let name: String
        let path: String
        let targets: [Target]
        let dependencies: [Dependency]?

        struct Target: Decodable {
            let path: String
            let sources: [String]
        }

        struct Dependency: Decodable {}
    }

    /// The parts of the output of `swift package show-dependencies` that are used here.
    private struct Graph: Decodable {
        let identity: String
        let path: String
        let dependencies: [Graph]
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws(Refusal) -> Value {
        // Messages may precede it.
        guard let start = text.firstIndex(of: "{"),
            let value = try? JSONDecoder().decode(type, from: Data(text[start...].utf8))
        else { throw Refusal("the package manager does not describe the package; try 'swift package describe'") }
        return value
    }

    private static func isKeychain(_ folder: URL) -> Bool {
        let manifest = try? String(contentsOf: folder.appendingPathComponent("Package.swift"), encoding: .utf8)
        return manifest?.contains(#".library(name: "PortableSecurity""#) ?? false
    }

    private static func read(
        _ package: Graph,
        identities: inout Set<String>,
        folders: inout [URL],
        into survey: inout SourceSurvey
    ) {
        guard identities.insert(package.identity).inserted else { return }
        let folder = URL(fileURLWithPath: package.path)
        folders.append(folder)
        for path in files(in: folder, except: foldersOfOthers.union(["Tests"])) {
            // Its demos and Xcode projects are not compiled.
            let isCompiled = path.hasPrefix("Sources/")
            read(
                folder.appendingPathComponent(path),
                path: "\(package.identity)/\(path)",
                isCompiled: isCompiled,
                into: &survey
            )
        }
        for dependency in package.dependencies {
            read(dependency, identities: &identities, folders: &folders, into: &survey)
        }
    }

    private static func read(_ file: URL, path: String, isCompiled: Bool = true, into survey: inout SourceSurvey) {
        if file.pathExtension == "swift" {
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return }
            survey.read(text, path: path, isCompiled: isCompiled)
        } else if isC(path), let data = try? Data(contentsOf: file), data.firstRange(of: Data(moduleOfC.utf8)) != nil {
            survey.readC(String(decoding: data, as: UTF8.self), path: path, modules: [moduleOfC])
        }
    }

    /// The only module with a toolset of its own whose headers C includes.
    private static let moduleOfC = "CommonCrypto"

    private static func isC(_ path: String) -> Bool {
        ["c", "h", "m", "mm", "cc", "cpp", "cxx", "hpp"].contains(
            String(path.pathNames.last?.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? "")
        )
    }

    /// The values of the build setting DEVELOPMENT_TEAM.
    private static func developmentTeams(in file: URL) -> [String] {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            let words = line.split { $0.isWhitespace || $0 == ";" || $0 == "\"" }
            guard words.count == 3, words[0] == "DEVELOPMENT_TEAM", words[1] == "=" else { return nil }
            return words[2].contains("$") ? nil : String(words[2])
        }
    }

    /// Folders whose files belong to other packages or projects.
    private static let foldersOfOthers: Set<String> = ["Example", "Examples", "Benchmarks", "Demo", "Pods", "Carthage"]

    /// The paths of what is in a folder and below it; symbolic links are not followed.
    private static func files(in folder: URL, except names: Set<String>) -> [String] {
        var paths: [String] = []
        var folders = [""]
        while let path = folders.popLast() {
            let found = try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(path)")
            for name in found ?? [] where !names.contains(name) && !name.hasPrefix(".") {
                let file = path + name
                paths.append(file)
                let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(file)")
                if attributes?[.type] as? FileAttributeType == .typeDirectory { folders.append("\(file)/") }
            }
        }
        return paths.sorted()
    }
}
