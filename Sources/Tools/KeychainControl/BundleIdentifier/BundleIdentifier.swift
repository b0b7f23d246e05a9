// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// A bundle identifier: parts of ASCII letters, digits and hyphens, with periods between (Apple's documentation of
/// `CFBundleIdentifier`).
struct BundleIdentifier: RawRepresentable, Hashable {
    let rawValue: String

    /// Creates an identifier; `nil` if the text is not one.
    init?(rawValue: String) {
        // No part may be empty: ".." would be an unintended access group.
        guard ReverseDNSName.labelCount(rawValue.utf8) != nil else { return nil }
        self.rawValue = rawValue
    }

    /// The example for an unknown program.
    static let example = BundleIdentifier(known: "com.example.tool")

    private init(known text: String) { rawValue = text }

    /// Suggests an identifier for a program without one, from the name of its package's folder.
    static func suggestion(for name: String) -> String {
        let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return "com.example.\(words.isEmpty ? "tool" : words.joined(separator: "-"))"
    }
}

/// Why a bundle identifier cannot be shown or set.
enum BundleIdentifierError: Error, Hashable, CustomStringConvertible {
    case noSuchPath(String)
    case unreadableList(String, String)
    case unwritableList(String, String)

    var description: String {
        switch self {
        case .noSuchPath(let path): "There is nothing at \(path). Build the package first, or name its executable."
        case .unreadableList(let path, let why): "\(path) cannot be read: \(why)"
        case .unwritableList(let path, let why): "\(path) cannot be written: \(why)"
        }
    }
}
