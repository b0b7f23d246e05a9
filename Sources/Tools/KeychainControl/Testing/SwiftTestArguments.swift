// SPDX-License-Identifier: Apache-2.0

/// The arguments for `swift test`, and those that determine the package and its build folder.
struct SwiftTestArguments {
    /// All of them.
    let all: [String]

    /// The arguments that also apply to `swift package`.
    var ofPackage: [String] { options(Self.packageOptions) }

    /// The arguments that also apply to `swift build`.
    var ofBuild: [String] { options(Self.packageOptions.union(Self.buildOptions)) }

    private static let packageOptions: Set<Substring> = [
        "--package-path", "--scratch-path", "--build-path", "--cache-path", "--config-path", "--security-path",
    ]

    private static let buildOptions: Set<Substring> = [
        "-c", "--configuration", "--triple", "--swift-sdk", "--arch", "--sdk", "--toolset", "--build-system",
        "--sanitize", "--traits",
    ]

    /// The options with these names and their values, as they were given.
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
