// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let entitlementDefaultGroupDiffers = Rule(
        "entitlement-default-group-differs",
        severity: .note,
        confidence: .high,
        family: .project,
        in: .all,
        title: "Parts of one product have different default groups",
        reason: """
            An item that is added without a group goes to the first group of the program's entitlements. Where an \
            extension or a configuration has another first group than the app that is shipped, each writes to a place of \
            its own, and the other does not find the item there without naming the group.
            """,
        remedy: "Put the shared group first everywhere, or name the group in every call.",
        flagged: Example([
            "App.xcodeproj/project.pbxproj": project,
            "App/App.entitlements": PropertyListLines.entitlements([
                "$(AppIdentifierPrefix)com.example.app", "$(AppIdentifierPrefix)com.example.shared",
            ]),
            "Share/Share.entitlements": PropertyListLines.entitlements([
                "$(AppIdentifierPrefix)com.example.shared"
            ]),
        ]),
        accepted: Example([
            "App.xcodeproj/project.pbxproj": project,
            "App/App.entitlements": PropertyListLines.entitlements([
                "$(AppIdentifierPrefix)com.example.shared", "$(AppIdentifierPrefix)com.example.app",
            ]),
            "Share/Share.entitlements": PropertyListLines.entitlements([
                "$(AppIdentifierPrefix)com.example.shared", "$(AppIdentifierPrefix)com.example.share",
            ]),
        ]),
        check: .project { project, report in
            let files = Dictionary(project.entitlements.map { ($0.path, $0) }) { first, _ in first }
            var compared: Set<String> = []
            func compare(_ path: String, _ group: WrittenGroupName, with reference: WrittenGroupName, of owner: String)
            {
                guard compared.insert(path).inserted, let first = files[path]?.groups.first,
                    !group.name.contains("$"), !reference.name.contains("$"),
                    group.withoutConfiguration != reference.withoutConfiguration
                else { return }
                report.add(
                    path: path,
                    line: first.line,
                    "new items go to '\(first.text)' by default, those of \(owner) to '\(reference.text)'",
                    context: first.text
                )
            }
            for xcode in project.xcodeProjects {
                let apps = xcode.targets.filter(\.isApplication)
                for app in apps {
                    guard let release = app.release, let path = xcode.entitlementsPath(release),
                        let text = files[path]?.groups.first?.text
                    else { continue }
                    let reference = WrittenGroupName(text: release.expanded(text))
                    let identifier = release.expanded(release.settings["PRODUCT_BUNDLE_IDENTIFIER"] ?? "")
                    compared.insert(path)
                    for target in [app] + xcode.targets.filter(\.isExtension) {
                        for configuration in target.configurations {
                            guard let path = xcode.entitlementsPath(configuration),
                                let text = files[path]?.groups.first?.text
                            else { continue }
                            let own = configuration.expanded(configuration.settings["PRODUCT_BUNDLE_IDENTIFIER"] ?? "")
                            // If there are several apps, an extension belongs to the one whose identifier is a prefix
                            // of its own.
                            guard
                                apps.count == 1 || target.name == app.name
                                    || (!identifier.isEmpty && own.hasPrefix(identifier + "."))
                            else { continue }
                            let group = WrittenGroupName(text: configuration.expanded(text))
                            compare(path, group, with: reference, of: "the app")
                        }
                    }
                }
            }
            // Without a project, files of one folder whose names differ by a configuration belong together.
            for (path, file) in files.sorted(by: { $0.key < $1.key }) where !compared.contains(path) {
                guard let text = file.groups.first?.text,
                    let release = EntitlementsName.release(of: path, among: files.keys), let other = files[release],
                    let reference = other.groups.first?.text
                else { continue }
                compare(path, WrittenGroupName(text: text), with: WrittenGroupName(text: reference), of: "'\(release)'")
            }
        }
    )
}

/// Information in the names of entitlements files.
private enum EntitlementsName {
    private static let words = ["debug", "development", "dev", "beta", "staging", "internal", "adhoc", "local", "qa"]

    /// The file of the shipped configuration, for a file of another configuration of the same product.
    static func release(of path: String, among paths: some Collection<String>) -> String? {
        let folder = path.prefix(path.count - (path.split(separator: "/").last?.count ?? 0))
        let name = stem(path, folder)
        guard let word = words.first(where: { name.contains($0) }) else { return nil }
        let plain = name.replacing(word, with: "")
        return paths.sorted().first { other in
            let stem = stem(other, folder)
            return other.hasPrefix(folder) && other != path
                && (stem == plain || stem.replacing("release", with: "") == plain)
        }
    }

    private static func stem(_ path: String, _ folder: Substring) -> String {
        path.dropFirst(folder.count).dropLast(".entitlements".count).lowercased().filter { $0.isLetter || $0.isNumber }
    }
}

/// An app with an extension, for the examples.
private let project = Rule.Example.project(
    ["SDKROOT": "iphoneos"],
    .init("App", type: "application", settings: ["Release": ["CODE_SIGN_ENTITLEMENTS": "App/App.entitlements"]]),
    .init("Share", type: "app-extension", settings: ["Release": ["CODE_SIGN_ENTITLEMENTS": "Share/Share.entitlements"]])
)
