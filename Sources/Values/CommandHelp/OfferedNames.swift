// SPDX-License-Identifier: Apache-2.0

/// Names of items as a shell may offer them.
package enum OfferedNames {
    /// The most names.
    private static let limit = 1000

    /// Names in order, each once, without those that a line of a terminal cannot show as they are.
    ///
    /// An item's name is whatever a program chose: it must not act on the terminal, or look like another one.
    package static func lines(_ names: [String]) -> [String] {
        Array(Set(names.filter(isPlain)).sorted().prefix(limit))
    }

    /// Those of them in which no shell finds anything but text, for scripts that do not quote what they are given.
    ///
    /// A colon ends a name in a description of zsh, and a word in bash.
    package static func unquotedLines(_ names: [String]) -> [String] {
        lines(names.filter { $0.unicodeScalars.allSatisfy(isSafe) && !$0.hasPrefix("-") })
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 255
            && name.unicodeScalars.allSatisfy { scalar in
                if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) }
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                    return false
                default: return true
                }
            }
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "._-@/+=,%".unicodeScalars.contains(scalar)
    }
}
