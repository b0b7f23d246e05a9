// SPDX-License-Identifier: Apache-2.0

import CommandHelp

/// The manual pages of a command, in the language of mdoc(7): one of it, and, if it has groups of commands, one of each
/// command directly below it.
package struct CommandPages {
    let command: CommandDescription
    let facts: PageFacts

    /// The day on the pages, in the form `2026-01-31`.
    let date: String

    /// The version of this package.
    let version: String

    package init(_ command: CommandDescription, _ facts: PageFacts, date: String, version: String) {
        self.command = command
        self.facts = facts
        self.date = date
        self.version = version
    }

    /// The pages by the names of their files, such as `keychainctl-device.1`.
    package var pages: [String: String] {
        // A command without groups is explained on one page.
        guard !facts.groups.isEmpty else { return ["\(command.commandName).1": page(of: command, whole: true)] }
        var pages = ["\(command.commandName).1": page(of: command, whole: false)]
        for part in command.shown { pages["\(name(of: part)).1"] = page(of: part, whole: true) }
        return pages
    }

    private func name(of part: CommandDescription) -> String { part.path.joined(separator: "-") }

    private func page(of part: CommandDescription, whole: Bool) -> String {
        let discussion = CommandDiscussion(part.discussion ?? "")
        let name = name(of: part)
        var lines = [
            ".\\\" SPDX-License-Identifier: Apache-2.0", ".Dd \(date)", ".Dt \(name.uppercased()) 1",
            ".Os swift-keychain \(version)", ".Sh NAME", ".Nm \(name)", ".Nd \(summary(of: part))", ".Sh SYNOPSIS",
        ]
        lines +=
            whole
            ? part.all.filter { $0.shown.isEmpty }.flatMap(synopsis) : [".Nm", ".Ar command", ".Op Ar argument ..."]
        lines += [".Sh DESCRIPTION"] + ManualText.paragraphs(part.abstract ?? "")
        if !discussion.explanation.isEmpty { lines += [".Pp"] + ManualText.paragraphs(discussion.explanation) }
        if whole {
            lines += arguments(of: part)
            if part.all.count > 1 { lines += [".Sh COMMANDS"] + part.all.dropFirst().flatMap(section) }
        } else {
            lines += [".Sh COMMANDS"] + facts.groups.flatMap(list)
        }
        lines += [".Sh ENVIRONMENT"] + ManualText.list(facts.variables, as: "Ev")
        lines += (facts.variables.isEmpty ? [] : [".Pp"]) + ["All variables are in", ".Xr swift-keychain 7 ."]
        lines += [".Sh FILES"] + ManualText.list(facts.files, as: "Pa")
        lines += [".Sh EXIT STATUS"] + ManualText.list(statuses(of: part, whole: whole))
        lines += [".Sh EXAMPLES"] + ManualText.examples(discussion.examples).dropFirst()
        lines += [".Sh SEE ALSO"] + ManualText.references(others(of: part, name))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Those of commands that name passwords are more.
    private func statuses(of part: CommandDescription, whole: Bool) -> [(String, String)] {
        let names = part.all.flatMap(\.ownArguments).flatMap { $0.names ?? [] }.map(\.name)
        guard whole, names.contains("protocol") else { return facts.statuses }
        return facts.statuses + facts.passwordStatuses
    }

    private func others(of part: CommandDescription, _ name: String) -> [String] {
        var pages = Set(facts.others)
        if !facts.groups.isEmpty {
            pages.insert("keychainctl-words 1")
            pages.formUnion(
                name == command.commandName
                    ? command.shown.map { "\(self.name(of: $0)) 1" } : ["\(command.commandName) 1"]
            )
            pages.remove("\(name) 1")
        }
        // As mdoc demands: by section, then by name.
        return pages.sorted { ($0.suffix(1), $0) < ($1.suffix(1), $1) }
    }

    /// The abstract as the end of a line that begins with the name.
    private func summary(of part: CommandDescription) -> String {
        let text = part.abstract ?? ""
        let end = text.hasSuffix(".") ? text.dropLast() : text[...]
        return ManualText.escaped(end.prefix(1).lowercased() + end.dropFirst())
    }

    private func list(_ group: (title: String, commands: [String])) -> [String] {
        let parts = command.shown.filter { group.commands.contains($0.commandName) }
        let items = parts.flatMap { part in
            [".It Xr \(name(of: part)) 1"] + ManualText.paragraphs(part.abstract ?? "")
        }
        return [".Ss \(group.title)", ".Bl -tag -width Ds"] + items + [".El"]
    }

    private func section(_ part: CommandDescription) -> [String] {
        let discussion = CommandDiscussion(part.discussion ?? "")
        return [".Ss \(part.path.dropFirst().map { ManualText.escaped($0) }.joined(separator: " "))"]
            + ManualText.paragraphs(part.abstract ?? "")
            + (discussion.explanation.isEmpty ? [] : [".Pp"] + ManualText.paragraphs(discussion.explanation))
            + arguments(of: part) + ManualText.examples(discussion.examples)
    }

    private func synopsis(_ part: CommandDescription) -> [String] {
        [".Nm \(part.path.map { ManualText.escaped($0) }.joined(separator: " "))"]
            + part.ownArguments.map(Self.synopsis)
    }

    private static func synopsis(_ argument: CommandDescription.Argument) -> String {
        let more = argument.isRepeating ? " ..." : ""
        let value = "Ar \(ManualText.escaped(argument.valueName ?? "value"))\(more)"
        let text =
            switch argument.kind {
            case .positional: value
            case .flag: flag(argument)
            case .option: "\(flag(argument)) \(value)"
            }
        return argument.isOptional ? ".Op \(text)" : ".\(text)"
    }

    /// The name of an option, the long one if it has one.
    private static func flag(_ argument: CommandDescription.Argument) -> String {
        let name = argument.names?.first { $0.kind == .long } ?? argument.names?.first
        return name.map(flag) ?? "Fl"
    }

    private static func flag(_ name: CommandDescription.Argument.Name) -> String {
        "Fl \(name.kind == .long ? "\\-" : "")\(ManualText.escaped(name.name))"
    }

    private func arguments(of part: CommandDescription) -> [String] {
        guard !part.ownArguments.isEmpty else { return [] }
        let items = part.ownArguments.flatMap { argument in
            [Self.tag(argument)] + ManualText.paragraphs(argument.explanation)
        }
        return [".Bl -tag -width Ds"] + items + [".El"]
    }

    private static func tag(_ argument: CommandDescription.Argument) -> String {
        let value = "Ar \(ManualText.escaped(argument.valueName ?? "value"))"
        guard argument.kind != .positional else { return ".It \(value)" }
        let names = (argument.names ?? []).map(flag).joined(separator: " , ")
        return argument.kind == .flag ? ".It \(names)" : ".It \(names) \(value)"
    }
}

extension CommandDescription.Argument {
    /// What the option does, with its values and the default one.
    fileprivate var explanation: String {
        let values = allValues.map { $0.isEmpty ? "" : " Values: \($0.joined(separator: ", "))." } ?? ""
        let standard = kind == .flag ? "" : defaultValue.map { " Default: \($0)." } ?? ""
        let more = discussion.map { " \($0)" } ?? ""
        return (abstract ?? "") + more + values + standard
    }
}
