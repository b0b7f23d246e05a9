// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The modules of Sources, as the manifest groups them.
package struct ModuleMap: Sendable {
    /// A folder below Sources.
    package struct Group: Sendable {
        /// The name of the folder.
        package var folder: String
        /// The purpose of its modules.
        package var purpose: String
        /// Its modules, from the lowest to the highest.
        package var modules: [Module] = []
    }

    /// A target of the manifest.
    package struct Module: Sendable {
        /// The name of the target.
        package var name: String
        /// Its description: the comment above it.
        package var summary: String
        /// The modules of this package that it depends on.
        package var dependencies: [String] = []
    }

    /// The groups, from the lowest to the highest.
    package private(set) var groups: [Group] = []

    /// Reads the table `groups` of a manifest.
    ///
    /// The formatter ensures this shape: an argument of a group is on a line of its own, and a comment is above each
    /// target.
    package init(manifest: String) {
        let table = manifest.components(separatedBy: "let groups: [Group] = [\n").dropFirst().first ?? ""
        let lines = table.components(separatedBy: "\n]\n")[0].split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        var comment = ""
        for line in lines {
            let quoted = line.components(separatedBy: "\"").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            if line.hasPrefix("folder:") {
                groups.append(Group(folder: quoted[0], purpose: ""))
            } else if line.hasPrefix("purpose:") {
                groups[groups.count - 1].purpose = quoted[0]
            } else if line.hasPrefix("// ") {
                comment = String(line.dropFirst(3))
            } else {
                addTargets(named: quoted, summary: &comment)
            }
        }
        removeOtherDependencies()
    }

    /// Begins a module with the first name below a comment; its dependencies follow.
    private mutating func addTargets(named names: [String], summary: inout String) {
        guard !names.isEmpty, !groups.isEmpty else { return }
        var names = names[...]
        if !summary.isEmpty {
            groups[groups.count - 1].modules.append(Module(name: names.removeFirst(), summary: summary))
            summary = ""
        }
        guard let last = groups[groups.count - 1].modules.indices.last else { return }
        groups[groups.count - 1].modules[last].dependencies += names
    }

    /// Drops other quoted strings in a target: paths, system libraries, other packages.
    private mutating func removeOtherDependencies() {
        let known = Set(modules.map(\.name))
        for (group, module) in groups.indices.flatMap({ group in groups[group].modules.indices.map { (group, $0) } }) {
            groups[group].modules[module].dependencies.removeAll { !known.contains($0) }
        }
    }

    /// All modules, from the lowest to the highest.
    package var modules: [Module] { groups.flatMap(\.modules) }

    /// The group of a module.
    ///
    /// - Returns: Its index in ``groups``; `nil` if no module has this name.
    package func group(of module: String) -> Int? {
        groups.firstIndex { $0.modules.contains { $0.name == module } }
    }
}

// MARK: - As a page

extension ModuleMap {
    /// The page with the map, relative to the root of the package.
    package static let page = "Documentation/Architecture.md"

    private static let begin = "<!-- Written by Scripts/module-map. -->\n"
    private static let end = "<!-- The end of the module map. -->\n"

    /// Puts the map into a page.
    ///
    /// - Returns: The page; `nil` if it has no place for a map.
    package func written(into page: String) -> String? {
        guard let begin = page.range(of: Self.begin),
            let end = page.range(of: Self.end, range: begin.upperBound..<page.endIndex)
        else { return nil }
        return page[..<begin.upperBound] + text + page[end.lowerBound...]
    }

    /// The map in Markdown, from the highest group to the lowest.
    private var text: String {
        let overview = groups.indices.reversed().map { index in
            let group = groups[index]
            let below = groups.indices.filter { $0 < index && uses(index, $0) }.map { groups[$0].folder }
            return "| [\(group.folder)](#\(group.folder.lowercased())) | \(group.purpose) | "
                + below.reversed().joined(separator: ", ") + " |"
        }
        let sections = groups.reversed().map { group in
            "\n### \(group.folder)\n\n| module | what it is | depends on |\n| --- | --- | --- |\n"
                + group.modules.reversed().map { module in
                    "| `\(module.name)` | \(module.summary) | "
                        + module.dependencies.map { "`\($0)`" }.joined(separator: " ") + " |\n"
                }.joined()
        }
        return "\n| group | purpose | uses |\n| --- | --- | --- |\n" + overview.joined(separator: "\n") + "\n"
            + sections.joined() + "\n"
    }

    /// Whether a module of one group depends on one of another.
    private func uses(_ group: Int, _ other: Int) -> Bool {
        let names = Set(groups[other].modules.map(\.name))
        return groups[group].modules.contains { !names.isDisjoint(with: $0.dependencies) }
    }
}
