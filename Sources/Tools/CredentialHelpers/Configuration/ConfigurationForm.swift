// SPDX-License-Identifier: Apache-2.0

/// The form of a configuration file in sections.
package enum ConfigurationForm: Hashable, Sendable {
    /// git's (git-config(1), "Syntax").
    case git
    /// TOML 1.0, without texts of several lines.
    case toml
    /// That of Python's configparser.
    case ini

    /// Refuses a text that its program would not read, or would read otherwise than it is read here.
    ///
    /// - Throws: ``HelperFailure`` with the number of the line.
    package func check(_ text: String) throws(HelperFailure) {
        let number =
            switch self {
            case .git: GitConfigurationReader.lineThatIsNone(in: text)
            case .toml: TOMLReader.lineThatIsNone(in: text)
            case .ini: Self.lineThatIsNone(in: text)
            }
        if let number { throw HelperFailure("line \(number) is not understood; correct it, or add the lines by hand") }
    }

    /// The number of the first line that is no section, no comment, and neither `KEY = VALUE` nor `KEY: VALUE` in a
    /// section, and does not go on with another line.
    private static func lineThatIsNone(in text: String) -> Int? {
        var isInSection = false
        for (index, line) in ConfigurationBlock.split(text).enumerated() {
            guard let first = line.first(where: { !$0.isWhitespace }), first != "#", first != ";" else { continue }
            if first == "[" {
                // One behind blanks may go on with a value.
                guard line.first == "[", line.dropFirst(2).contains("]") else { return index + 1 }
                isInSection = true
            } else {
                let isSetting = first != "=" && first != ":" && line.contains { $0 == "=" || $0 == ":" }
                guard isInSection, isSetting || line.first?.isWhitespace == true else { return index + 1 }
            }
        }
        return nil
    }
}
