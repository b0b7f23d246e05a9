// SPDX-License-Identifier: Apache-2.0

/// A bundle identifier: ASCII letters, digits, hyphens and periods (Apple's documentation of `CFBundleIdentifier`).
struct BundleIdentifier: RawRepresentable, Hashable {
    let rawValue: String

    /// An identifier, if a text is one.
    init?(rawValue: String) {
        let isAllowed = rawValue.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard !rawValue.isEmpty, isAllowed else { return nil }
        self.rawValue = rawValue
    }

    /// What a program could be called that has no identifier yet, made from the name of its folder's package.
    static func suggestion(for name: String) -> String {
        let letters = name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? String($0) : "-" }
        return "com.example.\(letters.joined())"
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
