// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl adopt`.
struct AdoptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Moves secrets that files have in plain text into the keychain.",
        discussion: CommandDiscussion.text(
            """
            Looks into the well-known files of \(AdoptedKind.names), shows what is there without the secrets, and asks. \
            Each secret becomes a password that the helper of its program finds, or that a reference names; the file is \
            rewritten to that. Where a program has neither, the secret is taken out, and the command is shown that gives \
            it to the program. What a file was is kept sealed in the keychain: --undo brings it back, byte for byte, \
            unless the file was changed since. Links, files with two names or of other users, and files above 1 MiB are \
            left alone.
            """,
            examples: [
                "keychainctl adopt --dry-run": "Shows what would be moved, and changes nothing.",
                "keychainctl adopt git docker": "Moves the secrets of two programs, after a question.",
                "keychainctl adopt --yes app/.env": "Moves those of a file, and asks nothing.",
                "keychainctl adopt --undo": "Brings all files back as they were.",
            ]
        )
    )

    @Argument(
        help: ArgumentHelp("Kinds (\(AdoptedKind.names)), or files; else all kinds.", valueName: "kind-or-file"),
        completion: .file()
    )
    var subjects: [String] = []

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @Flag(name: [.long, .customShort("n")], help: "Show what would be done, and change nothing.")
    var dryRun = false

    @Flag(help: "Replace passwords that the keychain has with another value.")
    var replace = false

    @Flag(help: "Bring files back as they were: those that are named, or all.")
    var undo = false

    @Flag(help: "List the files that were changed, of which there is a sealed copy.")
    var list = false

    @Flag(help: "Write JSON.")
    var json = false

    @Flag(help: "Say nothing but what is left, and errors.")
    var quiet = false

    func validate() throws {
        guard !(undo && list) else { throw ValidationError("--undo and --list exclude each other.") }
        guard !(undo || list) || !replace else { throw ValidationError("--replace is for moving secrets only.") }
        guard !list || subjects.isEmpty else { throw ValidationError("--list takes no names.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        if list { return try printCopies(surroundings) }
        if undo { return try undo(surroundings) }
        try adopt(surroundings)
    }

    // MARK: - Moving

    private func adopt(_ surroundings: Surroundings) throws {
        var adoptions: [Adoption] = []
        var (isIncomplete, lost) = (false, [String]())
        for (kind, path, isNamed) in try places(surroundings) {
            do throws(Refusal) {
                guard let adoption = try Adoption(kind, at: path, replaces: replace, surroundings) else {
                    guard isNamed else { continue }
                    throw Refusal("there is no \(path.printable)")
                }
                if adoption.hasConflict { isIncomplete = true }
                if !adoption.moved.isEmpty || !adoption.left.isEmpty { adoptions.append(adoption) }
            } catch {
                guard error.status == .failed else { throw error }
                lost.append("\(error)")
                if isNamed { isIncomplete = true }
            }
        }
        let moving = adoptions.filter { !$0.moved.isEmpty }
        if json {
            surroundings.printLine(
                JSONValue.object(["files": .array(adoptions.map(\.json)), "refused": .strings(lost)]).indentedText
            )
        } else {
            for adoption in adoptions where !quiet || !adoption.left.isEmpty { surroundings.printLine(adoption.text) }
            for reason in lost { surroundings.remark("Left alone: \(reason)") }
            if adoptions.isEmpty, !quiet { surroundings.printLine("No secrets in plain text were found.") }
        }
        if !moving.isEmpty { try carryOut(moving, surroundings) }
        if isIncomplete { throw ExitCode(Refusal.Status.failed.rawValue) }
    }

    private func carryOut(_ adoptions: [Adoption], _ surroundings: Surroundings) throws {
        let secrets = Count.text(adoptions.reduce(0) { $0 + $1.moved.count }, "secret")
        guard !dryRun else {
            if !json, !quiet { surroundings.printLine("Would move \(secrets). Nothing was changed.") }
            return
        }
        if !yes {
            let question = "This moves \(secrets) into the keychain, and changes the files."
            guard let isConfirmed = surroundings.confirm(question) else {
                throw Refusal("there is no terminal to ask; --yes moves without a question")
            }
            guard isConfirmed else { throw Refusal("nothing was changed") }
        }
        for (index, adoption) in adoptions.enumerated() {
            do throws(Refusal) { try adoption.perform() } catch {
                let done =
                    index == 0
                    ? ""
                    : "; done before: "
                        + adoptions[..<index].map(\.file.path.printable).joined(separator: ", ")
                throw Refusal("\(adoption.file.path.printable) was not changed: \(error)\(done)", error.status)
            }
        }
        guard !quiet else { return }
        surroundings.remark("Moved \(secrets); 'keychainctl adopt --undo' brings the files back.")
        for adoption in adoptions {
            for command in adoption.commands { surroundings.remark("Run: \(command)") }
            if adoption.kind == .git, !adoption.left.isEmpty {
                surroundings.remark("git no longer reads what is left in \(adoption.file.path.printable).")
            }
            for copy in adoption.plainCopies {
                surroundings.remark("\(copy.printable) has secrets in plain text as well; remove it.")
            }
        }
    }

    /// The files to look at, and whether each was named.
    private func places(_ surroundings: Surroundings) throws(Refusal) -> [(AdoptedKind, String, Bool)] {
        var places: [(kind: AdoptedKind, path: String, isNamed: Bool)] = []
        func add(_ kind: AdoptedKind, _ path: String, isNamed: Bool) {
            let path = surroundings.keptPath(path)
            if !places.contains(where: { $0.path == path }) { places.append((kind, path, isNamed)) }
        }
        for subject in subjects.isEmpty ? AdoptedKind.allCases.map(\.rawValue) : subjects {
            if let kind = AdoptedKind(rawValue: subject) {
                for path in try kind.paths(surroundings) { add(kind, path, isNamed: false) }
            } else {
                let path = surroundings.keptPath(subject)
                var known: AdoptedKind?
                for kind in AdoptedKind.allCases where known == nil {
                    if try kind.paths(surroundings).contains(where: { surroundings.keptPath($0) == path }) {
                        known = kind
                    }
                }
                guard let kind = known ?? AdoptedKind(path: path) else {
                    throw Refusal(
                        "'\(subject.printable)' is neither a kind (\(AdoptedKind.names)) nor a file of a known name",
                        .usage
                    )
                }
                add(kind, path, isNamed: true)
            }
        }
        return places.map { ($0.kind, $0.path, $0.isNamed) }
    }

    // MARK: - Sealed copies

    private func printCopies(_ surroundings: Surroundings) throws(Refusal) {
        let paths = try SealedCopies(surroundings: surroundings).paths()
        if json { return surroundings.printLine(JSONValue.strings(paths).indentedText) }
        for path in paths { surroundings.printLine(path.printable) }
    }

    private func undo(_ surroundings: Surroundings) throws {
        let copies = SealedCopies(surroundings: surroundings)
        var paths: [String] = []
        for subject in subjects {
            if let kind = AdoptedKind(rawValue: subject) {
                let known = try copies.paths()
                for path in try kind.paths(surroundings).map(surroundings.keptPath) where known.contains(path) {
                    paths.append(path)
                }
            } else {
                paths.append(surroundings.keptPath(subject))
            }
        }
        if subjects.isEmpty { paths = try copies.paths() }
        // Files with secrets come before those that name their helpers, which go with them.
        let undo = AdoptionUndo(surroundings, isDryRun: dryRun)
        var order: [(path: String, isOther: Bool)] = []
        for path in paths { order.append((path, try copies.copy(of: path)?.layers.last?.program != nil)) }
        var (restored, failures) = ([String](), [Refusal]())
        for (path, isOther) in order.filter({ !$0.isOther }) + order.filter(\.isOther) where !restored.contains(path) {
            do throws(Refusal) {
                if isOther, subjects.isEmpty, try copies.copy(of: path) == nil { continue }
                let outcome = try undo.undo(path)
                restored += outcome.restored
                if !quiet { for remark in outcome.remarks { surroundings.remark(remark) } }
            } catch {
                guard error.status != .locked else { throw error }
                failures.append(error)
                surroundings.remark("Error: \(error)")
            }
        }
        if json {
            surroundings.printLine(JSONValue.object(["restored": .strings(restored)]).indentedText)
        } else if !quiet {
            for path in restored {
                surroundings.printLine("\(dryRun ? "Would restore" : "Restored") \(path.printable)")
            }
        }
        if let first = failures.first { throw ExitCode(first.status.rawValue) }
    }
}

extension Adoption {
    /// What was found, for people; no secret is in it.
    fileprivate var text: String {
        var lines = ["\(file.path.printable):"]
        for (secret, origin) in moved {
            let state =
                switch origin {
                case .added: ""
                case .present: " (is there)"
                case .replaced: " (replaces another value)"
                }
            lines.append("  line \(secret.line): \(secret.what) -> \(secret.place.name.printable)\(state)")
        }
        for (line, reason) in left { lines.append("  line \(line): left: \(reason)") }
        return lines.joined(separator: "\n")
    }

    fileprivate var json: JSONValue {
        .object([
            "path": .string(file.path), "kind": .string(kind.rawValue),
            "secrets": .array(
                moved.map { secret, origin in
                    let state =
                        switch origin {
                        case .added: "new"
                        case .present: "present"
                        case .replaced: "replaced"
                        }
                    return .object([
                        "line": .integer(secret.line), "what": .string(secret.what),
                        "item": .string(secret.place.name), "state": .string(state),
                    ])
                }
            ),
            "left": .array(left.map { .object(["line": .integer($0.line), "reason": .string($0.reason)]) }),
            "commands": .strings(commands),
        ])
    }
}
