// SPDX-License-Identifier: Apache-2.0

/// The arguments for `swift test`, and those of them that say which package is meant and where it is built.
struct SwiftTestArguments {
    /// All of them.
    let all: [String]

    /// What `swift package` is to be told as well.
    var ofPackage: [String] { options(Self.packageOptions) }

    /// What `swift build` is to be told as well.
    var ofBuild: [String] { options(Self.packageOptions.union(Self.buildOptions)) }

    /// The folder of the package.
    var packagePath: String { value("--package-path") ?? "." }

    private static let packageOptions: Set<Substring> = [
        "--package-path", "--scratch-path", "--build-path", "--cache-path", "--config-path", "--security-path",
    ]

    private static let buildOptions: Set<Substring> = [
        "-c", "--configuration", "--triple", "--swift-sdk", "--arch", "--sdk", "--toolset", "--build-system",
        "--sanitize", "--traits",
    ]

    private func value(_ name: String) -> String? {
        let words = options([name[...]])
        return words.last.map { $0.hasPrefix("\(name)=") ? String($0.dropFirst(name.count + 1)) : $0 }
    }

    /// The options of these names with their values, as they were given.
    private func options(_ names: Set<Substring>) -> [String] {
        var found: [String] = []
        var rest = all[...]
        while let word = rest.popFirst() {
            if names.contains(word[...]), let value = rest.popFirst() {
                found += [word, value]
            } else if let end = word.firstIndex(of: "="), names.contains(word[..<end]) {
                found.append(word)
            }
        }
        return found
    }
}
