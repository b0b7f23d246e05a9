// SPDX-License-Identifier: Apache-2.0

/// Lines that are added to a configuration file in sections (of git, TOML, INI), between two comments.
///
/// Lines that they replace stay as comments, so that the file can be brought back as it was.
package struct ConfigurationBlock: Hashable, Sendable {
    /// The section, without its brackets.
    package let section: String

    /// The key that is set.
    package let key: String

    /// The lines that set it.
    package let lines: [String]

    /// What a line has that sets the key to the helper, wherever that is installed; `nil` if only ``lines`` do.
    package let helper: String?

    /// The form of the file.
    package let form: ConfigurationForm

    /// Whether other sections of a file may have such blocks, which stay as they are.
    package let hasSiblings: Bool

    package init(
        section: String,
        key: String,
        lines: [String],
        helper: String? = nil,
        form: ConfigurationForm,
        hasSiblings: Bool = false
    ) {
        (self.section, self.key, self.lines) = (section, key, lines)
        (self.helper, self.form, self.hasSiblings) = (helper, form, hasSiblings)
    }

    /// Whether the section may be written again at the end of the file, where the last value counts.
    private var isAlwaysLast: Bool { form == .git }

    private static let begin = "# keychainctl helper: begin"
    private static let end = "# keychainctl helper: end"
    private static let replaced = "# keychainctl helper replaces: "

    /// Whether a text has the lines, one after the other: in the block, or without its comments, which some programs
    /// drop when they write the file.
    package func isIn(_ text: String) -> Bool {
        let settings = settings(in: Self.split(text))
        return settings.indices.contains { settings[$0...].starts(with: lines) }
    }

    /// The line that runs the helper, of a text that has it without the comments of the block.
    package func line(leftIn text: String) -> String? {
        settings(in: Self.split(text)).first { line in helper.map { line.contains("/\($0)") } ?? lines.contains(line) }
    }

    /// The lines of the section that set the key.
    private func settings(in all: [String]) -> [String] {
        var isWithin = false
        return all.filter { line in
            if Self.isAnyHeader(line) { isWithin = isHeader(line) }
            return isWithin && sets(line)
        }
    }

    /// What a text sets, without its value, which may be a secret.
    package struct Setting: Hashable, Sendable {
        package let section: String
        package let key: String

        /// Whether it is behind the lines that are added.
        package let isLater: Bool
    }

    /// What a text sets beside the lines that are added.
    package func otherSettings(in text: String) -> [Setting] {
        let all = Self.split(text)
        let own = all.lastIndex(where: isOurs) ?? all.endIndex
        var section = ""
        var settings: [Setting] = []
        for (index, line) in all.enumerated() where Self.hasMeaning(line) && !isOurs(line) {
            var rest = line[...]
            if let name = Self.name(ofHeader: line), let end = line.firstIndex(of: "]") {
                (section, rest) = (name.joined(separator: " "), line[line.index(after: end)...])
            }
            guard let end = rest.firstIndex(where: { $0 == "=" || $0 == ":" }) else { continue }
            let key = Self.words(rest[..<end]).joined(separator: " ")
            settings.append(Setting(section: section, key: key, isLater: index > own))
        }
        return settings
    }

    /// Whether a line is one of those that are added, of whatever version.
    private func isOurs(_ line: String) -> Bool {
        lines.contains(line) || sets(line) && helper.map { line.contains("/\($0)") } ?? false
    }

    private var header: String { "[\(section)]" }

    /// The text with the block.
    ///
    /// - Throws: ``HelperFailure`` if a person has to do it, because the key is set in a way that is not understood.
    package func added(to text: String) throws(HelperFailure) -> String {
        var all = Self.split(try removed(from: text))
        try checkIsUnderstood(all)
        try form.check(all.joined(separator: "\n"))
        let headers = all.indices.filter { isHeader(all[$0]) }
        guard !isAlwaysLast, let first = headers.first else {
            try checkNotWrittenElsewhere(all)
            if all.last == "" { all.removeLast() }
            return (all + [Self.begin, header] + lines + [Self.end, ""]).joined(separator: "\n")
        }
        guard headers.count == 1 else {
            throw HelperFailure("the section '\(section)' is there twice; make one of them first")
        }
        let next = all[(first + 1)...].firstIndex(where: Self.isAnyHeader) ?? all.endIndex
        for index in (first + 1)..<next where mayOtherwiseSet(all[index]) {
            throw HelperFailure("'\(key)' is written in another way; take it out first")
        }
        // A comment of somebody else that looks like ours is marked as one more, and so comes back as it was.
        for index in (first + 1)..<next where all[index].hasPrefix(Self.replaced) {
            all[index] = Self.replaced + all[index]
        }
        for index in (first + 1)..<next where sets(all[index]) {
            let isContinued = index + 1 < next && all[index + 1].first?.isWhitespace == true
            guard !isContinued, !Self.isOpen(all[index]) else {
                throw HelperFailure("'\(key)' is set over several lines; take it out first")
            }
            all[index] = Self.replaced + all[index]
        }
        all.insert(contentsOf: [Self.begin] + lines + [Self.end], at: first + 1)
        return all.joined(separator: "\n")
    }

    /// The text without the block, and with the lines that it replaced.
    ///
    /// Lines that others wrote into the block stay, as programs do that set something in its section, and so do the
    /// blocks of other sections.
    ///
    /// - Throws: ``HelperFailure`` if another section, or another block, begins in the block.
    package func removed(from text: String) throws(HelperFailure) -> String {
        var all = Self.split(text)
        var start = all.startIndex
        while let block = try block(in: all, from: start) {
            guard !isOfSibling(block, in: all) else {
                start = block.range.upperBound + 1
                continue
            }
            let isInterrupted = block.content.contains { line in
                line == Self.begin || Self.isAnyHeader(line) && line != header
            }
            guard !isInterrupted else {
                throw HelperFailure("the lines that were added have been changed; take them out by hand")
            }
            var others = block.content.filter { $0 != header && !isOurs($0) }
            let follower = all[(block.range.upperBound + 1)...].first(where: Self.hasMeaning)
            let isSectionContinued = follower.map { !Self.isAnyHeader($0) } ?? false
            if block.content.contains(header), isSectionContinued || others.contains(where: Self.hasMeaning) {
                others.insert(header, at: others.startIndex)
            }
            let isWithinSection = !block.content.contains(header)
            all.replaceSubrange(block.range, with: others)
            start = block.range.lowerBound
            if isWithinSection { Self.bringBack(in: &all, around: start) }
        }
        return all.joined(separator: "\n")
    }

    /// Brings back the lines of a section that were replaced.
    private static func bringBack(in all: inout [String], around place: Int) {
        let first = all[..<place].lastIndex(where: isAnyHeader) ?? all.startIndex
        let next = all[place...].firstIndex(where: isAnyHeader) ?? all.endIndex
        for index in first..<next where all[index].hasPrefix(replaced) {
            all[index].removeFirst(replaced.count)
        }
    }

    /// Whether a block was added to another section, which begins in it or before it.
    private func isOfSibling(_ block: Block, in all: [String]) -> Bool {
        guard hasSiblings else { return false }
        let begin =
            block.content.first(where: Self.isAnyHeader) ?? all[..<block.range.lowerBound].last(where: Self.isAnyHeader)
        return begin.map { !isHeader($0) } ?? false
    }

    private typealias Block = (range: ClosedRange<Int>, content: ArraySlice<String>)

    /// The places of the two comments behind a place and what is between them; `nil` if they are not there.
    private func block(in all: [String], from start: Int) throws(HelperFailure) -> Block? {
        guard let begin = all[start...].firstIndex(of: Self.begin) else { return nil }
        guard let end = all[begin...].firstIndex(of: Self.end) else {
            throw HelperFailure("the comment '\(Self.end)' is missing; take the added lines out by hand")
        }
        return (begin...end, all[(begin + 1)..<end])
    }

    /// Refuses a file with texts of several lines, which may look like sections, and one whose section is written in
    /// another way: in quotation marks, or in other letters.
    private func checkIsUnderstood(_ all: [String]) throws(HelperFailure) {
        guard !isAlwaysLast else { return }
        guard !all.contains(where: { $0.contains("\"\"\"") || $0.contains("'''") }) else {
            throw HelperFailure("the file has texts of several lines; add the lines by hand")
        }
        let isWrittenOtherwise = all.contains { line in
            Self.name(ofHeader: line).map { $0 != Self.words(section[...]) && Self.isAlike($0, section) } ?? false
        }
        guard !isWrittenOtherwise else {
            throw HelperFailure("the section '\(section)' is written in another way; add the lines by hand")
        }
    }

    /// Whether a line sets the key for a program that ignores quotation marks, the case of letters, or which of `-` and
    /// `_` it is.
    private func mayOtherwiseSet(_ line: String) -> Bool {
        guard !sets(line), let end = line.firstIndex(of: "=") ?? line.firstIndex(of: ":") else { return false }
        return Self.isAlike(Self.words(line[..<end]), key)
    }

    private static func isAlike(_ words: [Substring], _ other: String) -> Bool {
        func plain(_ words: [Substring]) -> String {
            // A second bracket is that of an array of tables.
            String(words.joined(separator: " ").filter { !"\"'[]".contains($0) }.map { $0 == "_" ? "-" : $0 })
                .lowercased()
        }
        return plain(words) == plain(Self.words(other[...]))
    }

    private func checkNotWrittenElsewhere(_ all: [String]) throws(HelperFailure) {
        guard !isAlwaysLast else { return }
        let top = all.prefix { !Self.isAnyHeader($0) }
        let isWritten = top.contains { line in
            let name = line.drop(while: \.isWhitespace)
            guard name.hasPrefix(section) else { return false }
            return [".", "=", " "].contains(name.dropFirst(section.count).first)
        }
        guard !isWritten else { throw HelperFailure("'\(section)' is set outside of a section; add the lines by hand") }
    }

    // MARK: - Lines

    /// The lines of a text, with the carriage returns at their ends: Swift counts one and its newline as a character.
    package static func split(_ text: String) -> [String] {
        text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    private func isHeader(_ line: String) -> Bool { Self.name(ofHeader: line) == Self.words(section[...]) }

    private static func isAnyHeader(_ line: String) -> Bool { name(ofHeader: line) != nil }

    private static func name(ofHeader line: String) -> [Substring]? {
        let line = line.drop(while: \.isWhitespace)
        guard line.first == "[", let end = line.firstIndex(of: "]") else { return nil }
        return words(line[..<end].dropFirst())
    }

    /// Whether a line is neither blank nor a comment.
    private static func hasMeaning(_ line: String) -> Bool {
        guard let first = line.first(where: { !$0.isWhitespace }) else { return false }
        return first != "#" && first != ";"
    }

    private static func words(_ text: Substring) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }

    private func sets(_ line: String) -> Bool {
        let rest = line.drop(while: \.isWhitespace)
        guard rest.hasPrefix(key) else { return false }
        return rest.dropFirst(key.count).first { !$0.isWhitespace } == "="
    }

    /// Whether an array begins on a line, and does not end there.
    private static func isOpen(_ line: String) -> Bool {
        line.filter { $0 == "[" }.count > line.filter { $0 == "]" }.count
    }
}
