// SPDX-License-Identifier: Apache-2.0

/// The arguments for `swift test`, and those of them that say which package is meant and where it is built.
struct SwiftTestArguments {
    /// All of them.
    let all: [String]

    /// What `swift package` is to be told as well.
    var ofPackage: [String] { options(Self.packageOptions) }

    /// What `swift build` is to be told as well.
    var ofBuild: [String] { options(Self.packageOptions.union(Self.buildOptions)) }

    private static let packageOptions: Set<Substring> = [
        "--package-path", "--scratch-path", "--build-path", "--cache-path", "--config-path", "--security-path",
    ]

    private static let buildOptions: Set<Substring> = [
        "-c", "--configuration", "--triple", "--swift-sdk", "--arch", "--sdk", "--toolset", "--build-system",
        "--sanitize", "--traits",
    ]

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
