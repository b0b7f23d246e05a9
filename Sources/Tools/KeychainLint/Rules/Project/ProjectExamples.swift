// SPDX-License-Identifier: Apache-2.0

/// Xcode projects for the examples of rules.
extension Rule.Example {
    struct Target {
        var name: String
        /// The suffix after `com.apple.product-type.`.
        var type: String
        var sources: [String] = []
        /// Settings by configuration.
        var settings: [String: [String: String]]

        init(_ name: String, type: String, sources: [String] = [], settings: [String: [String: String]]) {
            self.name = name
            self.type = type
            self.sources = sources
            self.settings = settings
        }
    }

    /// The text of a `project.pbxproj` with some targets and settings of the whole project.
    static func project(_ shared: [String: String], _ targets: Target...) -> String {
        func list(_ settings: [String: String]) -> String {
            settings.sorted { $0.key < $1.key }.map { "\($0.key) = \"\($0.value)\"; " }.joined()
        }
        let names = Set(targets.flatMap(\.settings.keys)).sorted()
        var text = "// !$*UTF8*$!\n{ objects = {\n"
        text += "P = { isa = PBXProject; buildConfigurationList = PL; };\n"
        text +=
            "PL = { isa = XCConfigurationList; buildConfigurations = (\(names.map { "P\($0)" }.joined(separator: ", "))); };\n"
        for name in names {
            text += "P\(name) = { isa = XCBuildConfiguration; name = \(name); buildSettings = { \(list(shared))}; };\n"
        }
        for target in targets {
            let id = target.name
            text += "T\(id) /* \(target.name) */ = { isa = PBXNativeTarget; name = \(target.name); "
            text += "productType = \"com.apple.product-type.\(target.type)\"; buildPhases = (S\(id)); "
            text += "buildConfigurationList = L\(id); };\n"
            let files = target.sources.indices.map { "B\(id)\($0)" }.joined(separator: ", ")
            text += "S\(id) = { isa = PBXSourcesBuildPhase; files = (\(files)); };\n"
            for (index, source) in target.sources.enumerated() {
                text += "B\(id)\(index) = { isa = PBXBuildFile; fileRef = F\(id)\(index); };\n"
                text += "F\(id)\(index) = { isa = PBXFileReference; path = \"\(source)\"; };\n"
            }
            let configurations = target.settings.keys.sorted()
            text += "L\(id) = { isa = XCConfigurationList; buildConfigurations = "
            text += "(\(configurations.map { "C\(id)\($0)" }.joined(separator: ", "))); };\n"
            for name in configurations {
                text += "C\(id)\(name) = { isa = XCBuildConfiguration; name = \(name); "
                text += "buildSettings = { \(list(target.settings[name] ?? [:]))}; };\n"
            }
        }
        return text + "}; }\n"
    }
}
