// SPDX-License-Identifier: Apache-2.0

/// A service and an account: the names of a password.
struct NamePair {
    let service: String
    let account: String

    /// The separators that stand-ins use when they concatenate the two into one key.
    private static let separators = [
        "", ".", "-", "_", ":", "/", "|", "#", ",", " ", "@", ";", "+", "=", "~", "&", "%", "*", "!", "\\", "\0", "\n",
        "\t", "\u{1F}", "::", "->", "--", "__", "//", "||", ", ", ": ", " - ",
    ]

    /// Pairs of different names whose concatenations are equal, with the service or the account first.
    static let thatMeetWhenGlued = separators.flatMap { separator in
        [
            (
                NamePair(service: "x", account: "y\(separator)z"),
                NamePair(service: "x\(separator)y", account: "z")
            ),
            (
                NamePair(service: "y\(separator)z", account: "x"),
                NamePair(service: "z", account: "x\(separator)y")
            ),
        ]
    }
}
