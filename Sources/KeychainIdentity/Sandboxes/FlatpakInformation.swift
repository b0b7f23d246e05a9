// SPDX-License-Identifier: Apache-2.0

/// What Flatpak writes into the root folder of a sandbox, as a file `.flatpak-info` (flatpak-metadata(5)): which
/// application it is.
///
/// A sandboxed application cannot change it. A program of the same user outside of every sandbox can create a mount
/// namespace with such a file, and so impersonate any application (ThreatModel).
struct FlatpakInformation: Sendable, Hashable {
    /// The application's name, such as `org.example.App`.
    let application: String

    static let fileName = ".flatpak-info"
    static let largestByteCount = 1 << 16

    /// Reads the file; `nil` for anything but a key file whose group `Application` has a name.
    init?(text: [UInt8]) {
        guard text.count < Self.largestByteCount, let text = String(validating: text, as: UTF8.self) else { return nil }
        var group = ""
        var names: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = String(line.dropFirst().dropLast())
            } else if group == "Application", let equals = line.firstIndex(of: "=") {
                let key = line[..<equals].drop { $0 == " " }
                let isName = key.prefix { $0 != " " } == "name" && key.drop { $0 != " " }.allSatisfy { $0 == " " }
                if isName { names.append(line[line.index(after: equals)...].drop { $0 == " " }) }
            }
        }
        guard names.count == 1, Self.isName(names[0]) else { return nil }
        application = String(names[0])
    }

    /// At least three words with periods between them, of at most 255 characters (the names of D-Bus).
    private static func isName(_ name: Substring) -> Bool {
        let words = name.split(separator: ".", omittingEmptySubsequences: false)
        return words.count >= 3 && name.utf8.count <= 255
            && words.allSatisfy { word in
                !word.isEmpty && word.first?.isNumber != true
                    && word.unicodeScalars.allSatisfy {
                        $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains($0))
                    }
            }
    }
}
