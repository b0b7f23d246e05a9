// SPDX-License-Identifier: Apache-2.0

/// The targets of an Xcode project, with the build settings that rules use.
package struct XcodeProject: Sendable {
    /// The path of the `project.pbxproj`.
    var path: String
    var targets: [Target]

    struct Target: Sendable {
        var name: String
        /// Such as `com.apple.product-type.application`.
        var productType: String
        /// The line of its entry in the project file.
        var line: Int
        var configurations: [Configuration]
        /// The names of the Swift files that it compiles.
        var sources: Set<String>
        /// Folders that it compiles as a whole, as parts of paths.
        var folders: [String]

        var isApplication: Bool { productType == "com.apple.product-type.application" }
        var isExtension: Bool { productType.contains("extension") }

        /// The configuration that is shipped.
        var release: Configuration? {
            configurations.first { $0.name.lowercased().contains("release") } ?? configurations.last
        }

        var isIOS: Bool {
            configurations.contains { $0.supports("iphoneos", deployment: "IPHONEOS_DEPLOYMENT_TARGET") }
        }
        var isMac: Bool { configurations.contains { $0.supports("macosx", deployment: "MACOSX_DEPLOYMENT_TARGET") } }

        /// Whether the target compiles a Swift file.
        func compiles(_ path: String) -> Bool {
            sources.contains(String(path.split(separator: "/").last ?? ""))
                || folders.contains { ("/" + path).contains("/" + $0 + "/") }
        }
    }

    struct Configuration: Sendable {
        var name: String
        var settings: [String: String]
        /// Whether a settings file is referenced but missing: then missing settings may be in it.
        var isIncomplete: Bool

        func supports(_ platform: String, deployment: String) -> Bool {
            if let platforms = settings["SUPPORTED_PLATFORMS"] { return platforms.contains(platform) }
            if let root = settings["SDKROOT"], root != "auto" { return root.hasPrefix(platform) }
            return settings[deployment] != nil
        }

        /// A text in which settings replace `$(NAME)`; unknown ones stay.
        func expanded(_ text: String, depth: Int = 0) -> String {
            guard depth < 8 else { return text }
            var result = ""
            var rest = text[...]
            while let dollar = rest.firstIndex(of: "$") {
                result += rest[..<dollar]
                rest = rest[dollar...]
                let close: Character = rest.hasPrefix("$(") ? ")" : "}"
                guard rest.hasPrefix("$(") || rest.hasPrefix("${"), let end = rest.firstIndex(of: close) else { break }
                let name = rest[rest.index(rest.startIndex, offsetBy: 2)..<end].prefix { $0 != ":" }
                let key = name == "CFBundleIdentifier" ? "PRODUCT_BUNDLE_IDENTIFIER" : String(name)
                if let value = settings[key], !value.contains("$(\(name))") {
                    result += expanded(value, depth: depth + 1)
                } else {
                    result += rest[...end]
                }
                rest = rest[rest.index(after: end)...]
            }
            return result + rest
        }
    }

    /// The folder that paths of the project are relative to, with its slash.
    var folder: String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        return parts.isEmpty ? "" : parts.joined(separator: "/") + "/"
    }

    /// The path of a configuration's entitlements; nil if it names none, or in an unknown way.
    func entitlementsPath(_ configuration: Configuration) -> String? {
        guard let setting = configuration.settings["CODE_SIGN_ENTITLEMENTS"], !setting.isEmpty else { return nil }
        var path = configuration.expanded(setting)
        for variable in ["$(SRCROOT)/", "${SRCROOT}/", "$(PROJECT_DIR)/", "${PROJECT_DIR}/", "./"]
        where path.hasPrefix(variable) {
            path = String(path.dropFirst(variable.count))
        }
        return path.contains("$") ? nil : folder + path
    }

    /// nil if the file cannot be read as a project.
    init?(_ file: Project.TextFile, in files: [Project.TextFile]) {
        guard let root = OpenStepPropertyList(file.text), let objects = root["objects"] else { return nil }
        path = file.path
        targets = []
        let reader = ProjectReader(objects: objects.entries, files: files)
        for (_, entry) in objects.entries.sorted(by: { $0.value.line < $1.value.line })
        where entry.value["isa"]?.string?.hasSuffix("NativeTarget") == true {
            targets.append(reader.target(entry))
        }
    }
}

private struct ProjectReader {
    let objects: [String: OpenStepPropertyList.Entry]
    let files: [Project.TextFile]

    private func object(_ identifier: OpenStepPropertyList?) -> OpenStepPropertyList? {
        identifier?.string.flatMap { objects[$0]?.value }
    }

    private func objects(_ identifiers: OpenStepPropertyList?) -> [OpenStepPropertyList] {
        (identifiers?.strings ?? []).compactMap { objects[$0]?.value }
    }

    func target(_ entry: OpenStepPropertyList.Entry) -> XcodeProject.Target {
        let target = entry.value
        let phases = objects(target["buildPhases"]).filter { $0["isa"]?.string == "PBXSourcesBuildPhase" }
        let references = phases.flatMap { objects($0["files"]) }.compactMap { object($0["fileRef"]) }
        let sources = references.compactMap { ($0["path"] ?? $0["name"])?.string?.split(separator: "/").last }
        let name = target["name"]?.string ?? ""
        return XcodeProject.Target(
            name: name,
            productType: target["productType"]?.string ?? "",
            line: entry.line,
            configurations: configurations(target["buildConfigurationList"], targetName: name),
            sources: Set(sources.map(String.init)),
            folders: objects(target["fileSystemSynchronizedGroups"]).compactMap { $0["path"]?.string }
        )
    }

    private func configurations(_ list: OpenStepPropertyList?, targetName: String) -> [XcodeProject.Configuration] {
        let project = objects.values.map(\.value).first { $0["isa"]?.string == "PBXProject" }
        let shared = objects(object(project?["buildConfigurationList"])?["buildConfigurations"])
        return objects(object(list)?["buildConfigurations"]).map { own in
            let name = own["name"]?.string ?? ""
            let base = shared.first { $0["name"]?.string == name }
            var settings = ["TARGET_NAME": targetName, "PRODUCT_NAME": targetName]
            var isIncomplete = false
            for layer in [base, own] {
                guard let layer else { continue }
                if let reference = object(layer["baseConfigurationReference"])?["path"]?.string {
                    isIncomplete = !BuildSettingsFile.read(reference, in: files, into: &settings) || isIncomplete
                }
                for (key, entry) in layer["buildSettings"]?.entries ?? [:] {
                    let value = entry.value.strings.joined(separator: " ")
                    settings[key] = value.split(separator: " ").contains("$(inherited)") ? settings[key] ?? "" : value
                }
            }
            return XcodeProject.Configuration(name: name, settings: settings, isIncomplete: isIncomplete)
        }
    }
}

/// A file of build settings, `.xcconfig`.
enum BuildSettingsFile {
    /// Reads a file, with those that it includes, into settings.
    ///
    /// - Returns: Whether the file and everything that it includes was found.
    static func read(
        _ path: String,
        in files: [Project.TextFile],
        into settings: inout [String: String],
        depth: Int = 0
    ) -> Bool {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let candidates = files.filter { $0.name == name[...] }
        // CocoaPods' generated files are seldom checked in, and set search paths.
        if candidates.isEmpty { return path.contains("Pods") }
        guard depth < 8,
            let file = candidates.first(where: { ("/" + $0.path).hasSuffix("/" + path) }) ?? candidates.first
        else { return false }
        var isComplete = true
        for line in file.lines {
            let text = line.drop { $0 == " " || $0 == "\t" }
            if text.hasPrefix("#include") {
                let quoted = text.split(separator: "\"")
                let isFound = quoted.count > 1 && read(String(quoted[1]), in: files, into: &settings, depth: depth + 1)
                isComplete = isComplete && (isFound || text.hasPrefix("#include?"))
                continue
            }
            guard !text.hasPrefix("//"), let equals = text.firstIndex(of: "=") else { continue }
            let key = text[..<equals].prefix { $0 != "[" && $0 != " " && $0 != "\t" }
            var value = text[text.index(after: equals)...]
            if let comment = value.firstRange(of: "//") { value = value[..<comment.lowerBound] }
            settings[String(key)] = value.split(separator: " ").joined(separator: " ")
        }
        return isComplete
    }
}
