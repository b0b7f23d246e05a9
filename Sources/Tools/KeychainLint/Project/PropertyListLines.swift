// SPDX-License-Identifier: Apache-2.0

/// An XML property list, read for its keys and strings with their lines.
struct PropertyListLines {
    struct Entry {
        var key: String
        /// The strings of the value: one, or those of an array.
        var strings: [(text: String, line: Int)]
        var line: Int
    }

    private(set) var entries: [Entry] = []

    init(_ file: Project.TextFile) {
        for (index, line) in file.lines.enumerated() {
            var rest = line[...]
            while let open = rest.firstIndex(of: "<") {
                rest = rest[open...]
                if rest.hasPrefix("<!--") {
                    guard let end = rest.firstRange(of: "-->") else { break }
                    rest = rest[end.upperBound...]
                    continue
                }
                if rest.hasPrefix("<key>"), let text = Self.text(rest, "key") {
                    entries.append(Entry(key: text, strings: [], line: index + 1))
                } else if rest.hasPrefix("<string>"), let text = Self.text(rest, "string"), !entries.isEmpty {
                    entries[entries.count - 1].strings.append((text, index + 1))
                }
                rest = rest.dropFirst()
            }
        }
    }

    private static func text(_ line: Substring, _ tag: String) -> String? {
        let start = line.index(line.startIndex, offsetBy: tag.count + 2)
        guard let end = line[start...].firstIndex(of: "<") else { return nil }
        return String(line[start..<end])
    }

    /// The strings under a key.
    func strings(_ key: String) -> [(text: String, line: Int)] { entries.first { $0.key == key }?.strings ?? [] }

    func has(_ key: String) -> Bool { entries.contains { $0.key == key } }
}

extension PropertyListLines {
    /// The text of entitlements with lists of groups, for examples.
    static func entitlements(_ groups: [String], application: [String] = [], more: String = "") -> String {
        func list(_ key: String, _ groups: [String]) -> String {
            guard !groups.isEmpty else { return "" }
            let strings = groups.map { "\n        <string>\($0)</string>" }.joined()
            return "\n    <key>\(key)</key>\n    <array>\(strings)\n    </array>"
        }
        return "<plist version=\"1.0\">\n<dict>" + list("keychain-access-groups", groups)
            + list("com.apple.security.application-groups", application) + more + "\n</dict>\n</plist>"
    }
}
