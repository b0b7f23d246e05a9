// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// Finds misuse of the keychain in source code.
public struct Linter: Sendable {
    let parser: any SourceParser

    package init(parser: any SourceParser) { self.parser = parser }

    /// The options of a run.
    public struct Options: Sendable {
        /// The rules to run, by name; nil for all.
        public var rules: Set<String>?
        /// Rules not to run.
        public var disabled: Set<String> = []
        /// Whether notes of medium confidence and findings of low confidence are reported.
        public var isPedantic = false
        /// Severities that replace those of rules.
        public var severities: [String: Severity] = [:]
        /// Patterns of the names of types that may call item functions, for `direct-secitem-in-business-logic`.
        public var stores: [String] = []
        /// The keychain access groups of entitlements files before a change, by path; nil if unknown.
        public var formerGroups: [String: [String]]?
        /// Whether all CI jobs run on machines that are thrown away; nil: what each job says.
        public var hostedRunners: Bool?

        /// The default: all rules.
        public init() {}
    }

    /// The outcome of a run.
    public struct Outcome: Sendable {
        /// The findings, by file and line.
        public var findings: [Finding] = []
        /// The files that could not be read, with reasons.
        public var skipped: [Skipped] = []
        /// The keychain access groups of entitlements files, by path.
        public var accessGroups: [String: [String]] = [:]
        /// Findings that comments in the code suppress.
        public var suppressedCount = 0
        /// The number of files examined.
        public var fileCount = 0
        /// The number of files parsed.
        public var parsedCount = 0
        /// The number of lines in all examined files.
        public var lineCount = 0
        /// The time spent reading.
        public var readingTime = Duration.zero
        /// The time spent parsing, added up over threads.
        public var parsingTime = Duration.zero
        /// The time spent on analysis.
        public var analysisTime = Duration.zero
    }

    /// A file that was skipped, or a comment in one that suppresses nothing.
    public struct Skipped: Sendable, Hashable {
        /// The file, relative to the given path; for a comment with its line.
        public var file: String
        /// The reason.
        public var reason: Reason

        /// Why a file or a comment was skipped.
        public enum Reason: Sendable, Hashable, CustomStringConvertible {
            /// There is no such file.
            case missing
            /// The file or folder cannot be read.
            case unreadable
            /// The file is larger than 5 MB.
            case tooLarge
            /// The file is not UTF-8.
            case notUTF8
            /// A part of the file does not parse; the rest was linted.
            case unparsed
            /// The problem with a comment.
            case comment(String)

            /// The reason as the end of a sentence about the file.
            public var description: String {
                switch self {
                case .missing: "does not exist"
                case .unreadable: "cannot be read"
                case .tooLarge: "is larger than 5 MB"
                case .notUTF8: "is not UTF-8"
                case .unparsed: "does not parse; what does was linted"
                case .comment(let problem): problem
                }
            }
        }
    }

    /// Lints texts by their paths.
    public func lint(_ texts: [String: String], options: Options = Options()) -> Outcome {
        let files = texts.sorted { $0.key < $1.key }.map { InputFile(path: $0.key, load: .bytes(Array($0.value.utf8))) }
        return lint(files, options: options)
    }

    /// A file that is read on demand.
    package struct InputFile: Sendable {
        package enum Load: Sendable {
            case bytes([UInt8])
            case path(String)
        }
        package var path: String
        package var load: Load

        package init(path: String, load: Load) {
            self.path = path
            self.load = load
        }
    }

    package func lint(_ inputs: [InputFile], options: Options) -> Outcome {
        var outcome = Outcome()
        let clock = ContinuousClock()
        var start = clock.now
        var manifests = Manifests(inputs)
        let (swift, texts) = read(inputs, manifests: manifests, into: &outcome)
        manifests.determineUIKitTargets(from: swift)
        manifests.determineTargets(from: texts, swift, parser)
        outcome.readingTime = clock.now - start
        start = clock.now

        let rules = Rule.all.filter {
            (options.rules?.contains($0.id) ?? true) && !options.disabled.contains($0.id)
        }
        var modules: [ModuleFacts] = []
        var found: [Finding] = []
        for (_, files) in Dictionary(grouping: swift, by: \.module).sorted(by: { $0.key < $1.key }) {
            let module = Module(files)
            let facts = Self.analyse(module, manifests)
            let modulefacts = ModuleFacts(module: module, functions: facts, stores: options.stores)
            found += Self.check(rules, on: modulefacts, manifests: manifests)
            modules.append(modulefacts)
        }
        var project = Project(files: texts, modules: modules, manifests: manifests, parser: parser)
        project.hostedRunners = options.hostedRunners
        for file in project.entitlements where !file.groups.isEmpty {
            outcome.accessGroups[file.path] = file.groups.map(\.text)
        }
        for rule in rules {
            var report = Report(rule)
            switch rule.check {
            case .project(let check): check(project, &report)
            case .change(let check): if let former = options.formerGroups { check(project, former, &report) }
            default: continue
            }
            found += report.findings.map { Self.finding(for: $0, of: rule, in: []) }
        }
        let allFiles = Dictionary(swift.map { ($0.path, $0) }) { first, _ in first }
        let suppressions = Suppressions(allFiles)
        var seen: Set<String> = []
        for finding in found.sorted(by: Self.order) {
            var finding = finding
            if let severity = options.severities[finding.rule] { finding.severity = severity }
            guard seen.insert("\(finding.rule)|\(finding.file)|\(finding.line)|\(finding.column)").inserted else {
                continue
            }
            guard options.isPedantic || Self.isReportedByDefault(finding) else { continue }
            if suppressions.covers(finding) {
                outcome.suppressedCount += 1
            } else {
                outcome.findings.append(finding)
            }
        }
        outcome.findings = Echoes.marked(outcome.findings)
        outcome.skipped += suppressions.problems
        outcome.analysisTime = clock.now - start
        return outcome
    }

    /// Reads all files, and parses those that may have findings.
    private func read(
        _ inputs: [InputFile],
        manifests: Manifests,
        into outcome: inout Outcome
    ) -> (swift: [SourceFile], texts: [Project.TextFile]) {
        let results = Mutex<[(Int, FileResult)]>([])
        let parser = parser
        Parallel.forEach(inputs.count) { index in
            let result = FileResult(inputs[index], parser: parser, manifests: manifests)
            if !result.isEmpty { results.withLock { $0.append((index, result)) } }
        }
        var swift: [SourceFile] = []
        var texts: [Project.TextFile] = []
        // Tests of a type that stores things in the keychain need not mention the keychain.
        let first = results.withLock { $0 }
        let names = Set(first.flatMap { $0.1.swift?.keychainTypes ?? [] }).subtracting([
            "String", "UserDefaults", "Error",
        ])
        if !names.isEmpty, names.count < 500 {
            let words = ByteSearch.Words(names.sorted())
            Parallel.forEach(first.count) { position in
                guard let bytes = first[position].1.waiting, words.areFound(in: bytes) else { return }
                var result = first[position].1
                let index = first[position].0
                result.parse(bytes, at: inputs[index].path, by: parser, manifests: manifests)
                results.withLock { $0[position].1 = result }
            }
        }
        for (_, result) in results.withLock({ $0 }).sorted(by: { $0.0 < $1.0 }) {
            outcome.lineCount += result.lineCount
            outcome.parsingTime += result.parsingTime
            if let file = result.swift { swift.append(file) }
            if let file = result.text { texts.append(file) }
            if let reason = result.skipped { outcome.skipped.append(reason) }
        }
        outcome.fileCount = inputs.count
        outcome.parsedCount = swift.count
        return (swift, texts)
    }

    private static func order(_ left: Finding, _ right: Finding) -> Bool {
        (left.file, left.line, left.column, left.rule, right.severity)
            < (right.file, right.line, right.column, right.rule, left.severity)
    }

    private static func isReportedByDefault(_ finding: Finding) -> Bool {
        finding.confidence == .high || (finding.confidence == .medium && finding.severity > .note)
    }

    // MARK: Functions

    private static func analyse(_ module: Module, _ manifests: Manifests) -> [FunctionFacts] {
        let roots = Root.all(in: module)
        let results = Mutex<[(Int, FunctionFacts)]>([])
        Parallel.forEach(roots.count) { index in
            let facts = roots[index].facts(module, manifests)
            results.withLock { $0.append((index, facts)) }
        }
        var all = results.withLock { $0 }.sorted { $0.0 < $1.0 }.map(\.1)
        var reached: [Place: Set<Place>] = [:]
        for site in all.flatMap(\.sites) {
            for dictionary in [site.query, site.attributes].compactMap(\.self) {
                if let origin = dictionary.origin { reached[origin, default: []].insert(site.place) }
                for place in Set(dictionary.variants.flatMap { $0.entries.values.map(\.place) }) {
                    reached[place, default: []].insert(site.place)
                }
            }
        }
        for index in all.indices { all[index].reachedCalls = reached }
        return all
    }

    private static func check(_ rules: [Rule], on facts: ModuleFacts, manifests: Manifests) -> [Finding] {
        let all = Mutex<[Finding]>([])
        let module = facts.module
        Parallel.forEach(rules.count) { index in
            let rule = rules[index]
            var report = Report(rule)
            func applies(_ file: SourceFile) -> Bool {
                switch rule.scope {
                case .all: true
                case .sources: !file.isTest
                case .tests: file.isTest
                }
            }
            switch rule.check {
            case .site(let check):
                for function in facts.functions where applies(function.source) {
                    for site in function.reported { check(site, function, &report) }
                }
            case .function(let check):
                for function in facts.functions where applies(function.source) { check(function, &report) }
            case .file(let mentioned, let check):
                let words = ByteSearch.Words(mentioned)
                for number in module.files.indices where applies(module.files[number]) {
                    guard mentioned.isEmpty || words.areFound(in: module.files[number].text) else { continue }
                    let platforms = manifests.platforms(of: module.files[number])
                    check(FileFacts(module: module, file: number, platforms: platforms), &report)
                }
            case .module(let check): check(facts, &report)
            case .project, .change: break
            }
            let findings = report.findings.map { finding(for: $0, of: rule, in: module.files) }
            all.withLock { $0 += findings }
        }
        return all.withLock { $0 }
    }

    private static func finding(for found: Report.Found, of rule: Rule, in files: [SourceFile]) -> Finding {
        var result = Finding(
            rule: rule.id,
            severity: found.severity,
            confidence: found.confidence,
            file: found.position?.path ?? "",
            line: found.position?.line ?? 1,
            column: found.position?.column ?? 1,
            endLine: found.position?.endLine ?? 1,
            endColumn: 1,
            message: found.message,
            fix: found.fix,
            fingerprint: ""
        )
        if let place = found.place, files.indices.contains(place.file) {
            let file = files[place.file]
            result.file = file.path
            result.line = file.lines.line(place.range.start)
            result.column = file.lines.column(place.range.start)
            result.endLine = file.lines.line(place.range.end)
            result.endColumn = file.lines.column(place.range.end)
            result.related = found.related.map {
                let other = files[$0.place.file]
                return .init(file: other.path, line: other.lines.line($0.place.range.start), message: $0.message)
            }
        }
        result.fingerprint = Fingerprint.of([rule.id, result.file, found.context, found.message])
        return result
    }
}

/// A name for a finding that does not change when lines move.
enum Fingerprint {
    /// FNV-1a with 64 bits: for naming, not for security.
    static func of(_ parts: [String]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for part in parts {
            for byte in part.utf8 + [0] {
                hash ^= UInt64(byte)
                hash = hash &* 0x100_0000_01b3
            }
        }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

/// Work on several threads.
enum Parallel {
    static func forEach(_ count: Int, _ body: @Sendable (Int) -> Void) {
        guard count > 0 else { return }
        DispatchQueue.concurrentPerform(iterations: count) { body($0) }
    }
}
