// SPDX-License-Identifier: Apache-2.0

/// A call of an action in a Fastfile.
struct FastlaneCall {
    var name: String
    var arguments: [String: String]
    var line: Int
    /// Whether it always runs: in `ensure`, `after_all` or `error`.
    var isAlways: Bool

    static func all(_ file: Project.TextFile) -> [FastlaneCall] {
        let isRuby = [".rb", ".rake"].contains { file.name.hasSuffix($0) } || file.name == "Rakefile"
        guard file.name.hasSuffix("Fastfile") || isRuby else { return [] }
        let names = [
            "create_keychain", "delete_keychain", "import_certificate", "unlock_keychain", "match", "setup_ci",
        ]
        var result: [FastlaneCall] = []
        var alwaysDepth: Int?
        let lines = file.lines.map(String.init)
        for (index, raw) in lines.enumerated() {
            let indentation = raw.prefix { $0 == " " || $0 == "\t" }.count
            let line = raw.dropFirst(indentation)
            if line.hasPrefix("ensure") || line.hasPrefix("after_all") || line.hasPrefix("error do") {
                alwaysDepth = indentation
            } else if let depth = alwaysDepth, line == "end", indentation <= depth {
                alwaysDepth = nil
            }
            guard let name = names.first(where: { line.hasPrefix($0) }) else { continue }
            let rest = line.dropFirst(name.count)
            guard rest.isEmpty || rest.hasPrefix("(") || rest.hasPrefix(" ") else { continue }
            var text = String(rest)
            var next = index + 1
            if text.hasPrefix("(") {
                while !text.contains(")"), next < lines.count, next < index + 40 {
                    text += " " + lines[next]
                    next += 1
                }
            }
            result.append(
                FastlaneCall(name: name, arguments: arguments(text), line: index + 1, isAlways: alwaysDepth != nil)
            )
        }
        return result
    }

    private static func arguments(_ text: String) -> [String: String] {
        var result: [String: String] = [:]
        for part in text.split(separator: ",") {
            let pieces = part.split(separator: ":", maxSplits: 1)
            guard pieces.count == 2 else { continue }
            let name = pieces[0].filter { $0.isLetter || $0 == "_" }
            let value = pieces[1].drop { $0 == " " }
            result[name] = String(value.reversed().drop { $0 == " " || $0 == ")" }.reversed())
        }
        return result
    }
}
