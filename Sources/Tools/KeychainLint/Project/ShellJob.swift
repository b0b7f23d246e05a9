// SPDX-License-Identifier: Apache-2.0

/// Commands that run one after the other on one machine: a job of a CI system, a script, a lane.
package struct ShellJob: Sendable {
    package var path: String
    package var commands: [ShellCommand] = []
    /// Actions that are used by name.
    package var uses: [String] = []
    /// Whether the machine is thrown away after the job, as far as the file says.
    package var isOnHostedRunner = false

    /// The commands of `security` with a verb.
    package func security(_ verbs: String...) -> [ShellCommand] {
        commands.filter { command in command.verb.map { verbs.contains($0) } ?? false }
    }

    /// Whether it runs a program that signs or tests.
    package var signsOrTests: Bool {
        commands.contains { command in
            ["xcodebuild", "codesign", "fastlane", "productbuild", "productsign", "xcrun"].contains {
                command.words.contains($0)
            }
                || command.text.contains("fastlane ")
        }
    }

    /// The jobs of a file; empty if it is not a file of commands.
    static func jobs(_ file: Project.TextFile, _ parser: any SourceParser) -> [ShellJob] {
        let isRuby = [".rb", ".rake", "Rakefile"].contains { file.path.hasSuffix($0) }
        if isRuby {
            guard mentionsCommands(file) else { return [] }
            // The texts that `sh` runs, each on its line.
            let lines = file.lines.map { line -> String in
                let text = line.drop { $0 == " " || $0 == "\t" }
                guard text.hasPrefix("sh ") || text.hasPrefix("sh(") || text.hasPrefix("system"),
                    let start = text.firstIndex(where: { $0 == "\"" || $0 == "'" }),
                    let end = text.lastIndex(of: text[start]), start < end
                else { return "" }
                return String(text[text.index(after: start)..<end])
            }
            return [ShellJob(path: file.path, commands: ShellCommand.parse(lines, from: 1))]
        }
        let endings = [".sh", ".bash", ".zsh", ".mk"]
        if endings.contains(where: { file.path.hasSuffix($0) }) || ["Makefile", "GNUmakefile"].contains(file.name) {
            guard mentionsCommands(file) else { return [] }
            return [ShellJob(path: file.path, commands: ShellCommand.parse(file.lines.map(String.init), from: 1))]
        }
        guard file.path.hasSuffix(".yml") || file.path.hasSuffix(".yaml"), mentionsCommands(file),
            let root = try? parser.parse(yaml: file.text)
        else { return [] }
        let lines = file.lines.map(String.init)
        guard let jobs = root["jobs"], !jobs.pairs.isEmpty, jobs.pairs.contains(where: { $0.value["steps"] != nil })
        else {
            var job = ShellJob(path: file.path)
            job.isOnHostedRunner = ["bitrise.yml", ".travis.yml", "codemagic.yaml"].contains(file.name)
            collect(root, into: &job, lines: lines, isAlways: false, isScript: false)
            return [job]
        }
        return jobs.pairs.map { pair in
            var job = ShellJob(path: file.path)
            job.isOnHostedRunner = isHosted(pair.value)
            for step in pair.value["steps"]?.elements ?? [] {
                let condition = step["if"]?.string ?? step["when"]?.string ?? ""
                let isAlways =
                    condition.contains("always()") || condition == "always" || condition.contains("!cancelled()")
                if let name = step["uses"]?.string { job.uses.append(name) }
                collect(step, into: &job, lines: lines, isAlways: isAlways, isScript: false)
            }
            return job
        }
    }

    /// Whether `runs-on` names only images of GitHub, such as `macos-15`.
    private static func isHosted(_ job: YAMLNode) -> Bool {
        guard let runner = job["runs-on"] else { return false }
        let labels = [runner.string].compactMap(\.self) + runner.elements.compactMap(\.string)
        let images = ["macos-", "ubuntu-", "windows-"]
        return !labels.isEmpty && labels.allSatisfy { label in images.contains { label.hasPrefix($0) } }
    }

    private static func mentionsCommands(_ file: Project.TextFile) -> Bool {
        ["security ", "xcodebuild", "codesign"].contains { file.text.contains($0) }
    }

    private static let scriptKeys: Set<String> = [
        "run", "script", "scripts", "command", "content", "before_script", "after_script", "bash", "inlineScript", "sh",
        "always_run_script", "before_install", "install", "after_success", "after_failure",
    ]

    private static func collect(
        _ node: YAMLNode,
        into job: inout ShellJob,
        lines: [String],
        isAlways: Bool,
        isScript: Bool
    ) {
        switch node.kind {
        case .null: break
        case .scalar(let text):
            guard isScript else { return }
            job.commands += ShellCommand.parse(text, in: lines, near: node.line, isAlways: isAlways)
        case .sequence(let nodes):
            for inner in nodes { collect(inner, into: &job, lines: lines, isAlways: isAlways, isScript: isScript) }
        case .mapping(let pairs):
            let runsAlways =
                isAlways || pairs.contains { $0.key == "is_always_run" && $0.value.string == "true" }
                || pairs.contains { $0.key == "when" && $0.value.string == "always" }
            for (key, value) in pairs {
                collect(
                    value,
                    into: &job,
                    lines: lines,
                    isAlways: runsAlways || key == "after_script" || key == "post" || key == "after_failure",
                    isScript: scriptKeys.contains(key)
                )
            }
        }
    }
}

/// A simple command of a shell script.
package struct ShellCommand: Sendable {
    package var words: [String]
    package var text: String
    package var line: Int
    /// Whether it always runs.
    package var isAlways: Bool

    /// The verb of a `security` command.
    package var verb: String? {
        guard let index = words.firstIndex(where: { $0 == "security" || $0.hasSuffix("/security") }), index < 2,
            index + 1 < words.count
        else { return nil }
        return words[(index + 1)...].first { !$0.hasPrefix("-") }
    }

    /// The value of an option, such as `-p`.
    package func option(_ name: String) -> String? {
        guard let index = words.firstIndex(of: name), index + 1 < words.count else { return nil }
        return words[index + 1]
    }

    /// The commands of a text that begins near a line of a file.
    static func parse(_ text: String, in lines: [String], near start: Int, isAlways: Bool) -> [ShellCommand] {
        var result: [ShellCommand] = []
        var next = max(0, start - 1)
        let pieces = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var placed: [(String, Int)] = []
        for piece in pieces {
            let trimmed = piece.drop { $0 == " " }
            if trimmed.isEmpty { continue }
            let found = lines.indices.first { $0 >= next && lines[$0].contains(trimmed) }
            let line = found ?? next
            if found != nil { next = line }
            placed.append((piece, line + 1))
        }
        result = join(placed, isAlways: isAlways)
        return result
    }

    static func parse(_ lines: [String], from first: Int) -> [ShellCommand] {
        join(lines.enumerated().map { ($0.element, $0.offset + first) }, isAlways: false)
    }

    /// Joins lines that a backslash continues, and follows `trap` and functions that it names.
    private static func join(_ lines: [(String, Int)], isAlways: Bool) -> [ShellCommand] {
        var result: [ShellCommand] = []
        var pending = ""
        var start = 0
        var trapped: Set<String> = []
        var function: String?
        var bodies: [(name: String, index: Int)] = []
        for (raw, number) in lines {
            let line = raw.drop { $0 == " " || $0 == "\t" }
            if pending.isEmpty { start = number }
            if line.hasPrefix("#") { continue }
            if line.hasSuffix("\\") {
                pending += line.dropLast() + " "
                continue
            }
            let whole = pending + line
            pending = ""
            if let name = functionName(whole) { function = name }
            for piece in split(whole) {
                let words = tokens(piece)
                guard !words.isEmpty else { continue }
                if words[0] == "trap", words.count > 2,
                    words.dropFirst(2).contains(where: { ["EXIT", "0", "ERR"].contains($0) })
                {
                    for inner in split(words[1]) {
                        let innerWords = tokens(inner)
                        if let first = innerWords.first { trapped.insert(first) }
                        result.append(ShellCommand(words: innerWords, text: inner, line: start, isAlways: true))
                    }
                    continue
                }
                if let function { bodies.append((function, result.count)) }
                result.append(ShellCommand(words: words, text: piece, line: start, isAlways: isAlways))
            }
            if whole.hasPrefix("}") { function = nil }
        }
        for (name, index) in bodies where trapped.contains(name) { result[index].isAlways = true }
        return result
    }

    private static func functionName(_ line: String) -> String? {
        guard line.hasSuffix("{"), line.contains("()") || line.hasPrefix("function ") else { return nil }
        let name = line.hasPrefix("function ") ? line.dropFirst("function ".count) : line[...]
        return String(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
    }

    /// Splits at `;`, `&&`, `||` and `|` outside of quotes and substitutions.
    private static func split(_ line: String) -> [String] {
        var result: [String] = []
        var current = ""
        var quote: Character?
        var depth = 0
        var previous: Character = " "
        for character in line {
            if let open = quote {
                if character == open { quote = nil }
                current.append(character)
            } else if character == "\"" || character == "'" {
                quote = character
                current.append(character)
            } else if character == "(", previous == "$" || depth > 0 {
                depth += 1
                current.append(character)
            } else if character == ")", depth > 0 {
                depth -= 1
                current.append(character)
            } else if depth == 0, character == ";" || character == "&" || character == "|" {
                result.append(current)
                current = ""
            } else if character == "#", previous == " " {
                break
            } else {
                current.append(character)
            }
            previous = character
        }
        result.append(current)
        return result.map { String($0.drop { $0 == " " || $0 == "@" }) }.filter { !$0.isEmpty }
    }

    /// The words of a command, without the quotes around them.
    private static func tokens(_ text: String) -> [String] {
        var result: [String] = []
        var word = ""
        var isOpen = false
        var quote: Character?
        var depth = 0
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if (character == "\"" || character == "'") && depth == 0 {
                quote = character
                isOpen = true
            } else if character == "(" || character == ")" {
                depth += character == "(" ? 1 : -1
                word.append(character)
            } else if character == " " || character == "\t", depth <= 0 {
                if !word.isEmpty || isOpen { result.append(word) }
                word = ""
                isOpen = false
            } else {
                word.append(character)
            }
        }
        if !word.isEmpty || isOpen { result.append(word) }
        return result
    }
}
