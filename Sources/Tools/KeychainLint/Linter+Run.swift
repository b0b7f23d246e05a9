// SPDX-License-Identifier: Apache-2.0

extension Linter {
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
            for function in facts where function.isCutShort {
                let file = module.files[function.file]
                let line = file.lines.line(function.symbol?.function.nameRange.start ?? 0)
                outcome.skipped.append(.init(file: "\(file.path):\(line)", reason: .tooLong))
            }
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
        let suppressions = Suppressions(swift, texts)
        var seen: Set<String> = []
        for finding in found.sorted(by: Self.order) {
            var finding = finding
            finding.fingerprint = Fingerprint.of([
                finding.rule, options.fingerprintPrefix + finding.file, finding.fingerprint, finding.message,
            ])
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
        let parser = parser
        var results = Parallel.map(inputs.count) { FileResult(inputs[$0], parser: parser, manifests: manifests) }
        // Tests of a type that stores things in the keychain need not mention the keychain.
        let names = Set(results.flatMap { $0.swift?.keychainTypes ?? [] }).subtracting([
            "String", "UserDefaults", "Error",
        ])
        let waiting = results.indices.filter { results[$0].waiting != nil }
        if !names.isEmpty, !waiting.isEmpty {
            let search = IdentifierSearch(names)
            let first = results
            let found = Parallel.map(waiting.count) { number -> FileResult in
                var result = first[waiting[number]]
                if let bytes = result.waiting, search.isAnyFound(in: bytes) {
                    result.parse(bytes, at: inputs[waiting[number]].path, by: parser, manifests: manifests)
                }
                return result
            }
            for (index, result) in zip(waiting, found) { results[index] = result }
        }
        var swift: [SourceFile] = []
        var texts: [Project.TextFile] = []
        for result in results {
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
        var all = Parallel.map(roots.count) { roots[$0].facts(module, manifests) }
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
        let module = facts.module
        let found = Parallel.map(rules.count) { index -> [Finding] in
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
            return report.findings.map { finding(for: $0, of: rule, in: module.files) }
        }
        return Array(found.joined())
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
            // Its subject, until the rest is known.
            fingerprint: found.context
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
        return result
    }
}
