// SPDX-License-Identifier: Apache-2.0
import Foundation

extension Linter {
    /// The outcome of making edits.
    public struct Mended: Sendable {
        /// The texts of the files that were given, with the edits.
        public var texts: [String: String] = [:]
        /// How many edits were made.
        public var count = 0
        /// The findings in the new texts.
        public var outcome = Outcome()
    }

    /// Makes the safe edits in texts by their paths, until none is left.
    public func mend(_ texts: [String: String], options: Options = Options()) -> Mended {
        var mended = Mended(texts: texts)
        let files = texts.sorted { $0.key < $1.key }.map { InputFile(path: $0.key, load: .bytes(Array($0.value.utf8))) }
        let result = mend(files, options: options) { _ in }
        for (path, bytes) in result.edited { mended.texts[path] = String(decoding: bytes, as: UTF8.self) }
        mended.count = result.count
        mended.outcome = result.outcome
        return mended
    }

    /// Makes the safe edits of the findings that are selected; an edit after which the linter finds something new is
    /// not made.
    ///
    /// - Returns: The new bytes of edited files by path, the number of edits, and the findings after them.
    package func mend(
        _ inputs: [InputFile],
        options: Options,
        select: (inout Outcome) -> Void
    ) -> (edited: [String: [UInt8]], count: Int, outcome: Outcome) {
        var inputs = inputs
        var edited: [String: [UInt8]] = [:]
        var count = 0
        // Everything that may be found counts, also what this run does not report.
        var strict = Options()
        strict.isPedantic = true
        var outcome = lint(inputs, options: options)
        select(&outcome)
        var known: [String: Int]?
        var refused: Set<String> = []
        for _ in 0..<Self.maximumRounds {
            let candidates = outcome.findings.filter { $0.fix?.isSafe == true && !refused.contains($0.fingerprint) }
            guard !candidates.isEmpty else { break }
            let before = known ?? Self.counts(lint(inputs, options: strict))
            var made = 0
            func attempt(_ findings: [Finding]) -> Bool {
                var next = inputs
                var texts: [String: [UInt8]] = [:]
                var edits = 0
                for (path, own) in Dictionary(grouping: findings, by: \.file) {
                    guard let index = inputs.firstIndex(where: { $0.path == path }),
                        let text = inputs[index].editableBytes
                    else {
                        continue
                    }
                    let result = Fixes.applied(own, to: text)
                    guard result.count > 0 else { continue }
                    next[index].load = .bytes(result.text)
                    texts[path] = result.text
                    edits += result.count
                }
                guard edits > 0 else { return false }
                let after = Self.counts(lint(next, options: strict))
                guard after.allSatisfy({ $0.value <= before[$0.key] ?? 0 }) else { return false }
                inputs = next
                known = after
                edited.merge(texts) { $1 }
                made += edits
                return true
            }
            if !attempt(candidates) {
                // One of them is at fault: each is tried alone, and the first good one is followed by a new look.
                for candidate in candidates.prefix(Self.maximumTrials) {
                    if attempt([candidate]) { break }
                    refused.insert(candidate.fingerprint)
                }
            }
            guard made > 0 else { break }
            count += made
            outcome = lint(inputs, options: options)
            select(&outcome)
        }
        return (edited, count, outcome)
    }

    private static let maximumRounds = 64
    private static let maximumTrials = 64

    /// How often each rule finds something in each file.
    private static func counts(_ outcome: Outcome) -> [String: Int] {
        outcome.findings.reduce(into: [:]) { $0["\($1.rule) \($1.file)", default: 0] += 1 }
    }
}

extension Linter.InputFile {
    /// nil if the file cannot be read.
    var bytes: [UInt8]? {
        switch load {
        case .bytes(let bytes): bytes
        case .path(let path): FileManager.default.contents(atPath: path).map { Array($0) }
        }
    }

    /// The bytes in which edits have their places; nil if the file is not UTF-8.
    fileprivate var editableBytes: [UInt8]? {
        guard let bytes, let decoded = SourceText.decoded(bytes), !decoded.isConverted else { return nil }
        return bytes
    }
}

extension Linter {
    /// Mends the files of a tree.
    ///
    /// - Parameters:
    ///   - paths: Files and folders.
    ///   - choice: Which of their files are mended.
    ///   - options: The options of the run.
    ///   - select: Takes out findings whose edits are not wanted.
    /// - Returns: The number of edits.
    /// - Throws: An error of the file system.
    public func mend(
        paths: [String],
        choice: PathChoice = PathChoice(),
        options: Options = Options(),
        select: (inout Outcome) -> Void = { _ in }
    ) throws -> Int {
        let files = Discovery(paths, choice: choice).files
        let result = mend(files, options: options, select: select)
        for file in files {
            guard let text = result.edited[file.path], case .path(let path) = file.load else { continue }
            try Data(text).write(to: URL(fileURLWithPath: path))
        }
        return result.count
    }
}

/// Whether the dictionary of a call may be edited for that call's sake.
extension Site {
    /// Whether a dictionary is a literal that reaches this call and nothing else: no other call, function or variable.
    func isOnlyUse(in facts: FunctionFacts) -> Bool {
        guard depth == 0, reportDepth == 0, let origin = query.origin, origin.file == facts.file,
            origin.file == place.file
        else { return false }
        let others = facts.reachedCalls[origin] ?? []
        guard others.isSubset(of: [place]) else { return false }
        // Written in the call itself.
        if place.range.contains(origin.range) { return true }
        guard let name = queryName, let function = facts.symbol?.function, function.range.contains(origin.range),
            let body = function.body
        else { return false }
        let binding = SyntaxWalk.statements(body).lazy.compactMap { statement -> Variable.Binding? in
            guard case .variable(let variable) = statement.kind else { return nil }
            return variable.bindings.first { $0.name == name }
        }.first
        guard let value = binding?.value, value.range.contains(origin.range), value.bare.range == origin.range else {
            return false
        }
        var uses = 0
        var written = 0
        SyntaxWalk(onExpression: { expression in
            switch expression.kind {
            case .name(name): uses += 1
            case .assign(let target, _):
                if case .index(let base, _) = target.kind, base.path == [name] { written += 1 }
            default: break
            }
        }).walk(body)
        return uses - written == 1
    }
}
