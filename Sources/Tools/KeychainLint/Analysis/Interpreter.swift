// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Follows one function with abstract values: dictionaries, statuses, results.
///
/// Paths fork at conditions and join after them; functions of the module are followed where they are called, to a
/// limited depth. The results are recorded as ``Site`` and ``Event``, which the rules read.
package final class Interpreter {
    let module: Module
    package internal(set) var sites: [Site] = []
    package internal(set) var events: [Event] = []
    package internal(set) var accessControls: [AccessControlUse] = []
    var frames: [Frame] = []
    /// The sites whose statuses were read, in order.
    var readLog: [Int] = []
    var throwTargets: [[Environment]] = [[]]
    var breakTargets: [[Environment]] = []
    /// Types of parameters and variables, by the text that refers to them.
    var symbolTypes: [String: String] = [:]
    var identities = 0
    var budget = 20_000
    var deferredDepth = 0
    var closureDepth = 0
    var rootPlace: Place?
    var optionalTryDepth = 0
    /// The number of `try` expressions around the current one.
    var tryDepth = 0
    var discarding = false
    /// The closures being followed, so that a closure that calls itself terminates.
    var activeClosures: [ObjectIdentifier] = []

    static let maximumDepth = 4

    /// A function being followed.
    final class Frame {
        let symbol: FunctionSymbol?
        let typeName: String?
        let file: Int
        /// Where it was called.
        let callPlace: Place?
        /// The value of `self`, if known.
        let selfValue: Value?
        var returns: [(value: Value, environment: Environment, expression: Expression?)] = []

        init(symbol: FunctionSymbol?, typeName: String?, file: Int, callPlace: Place?, selfValue: Value? = nil) {
            self.symbol = symbol
            self.typeName = typeName
            self.file = file
            self.callPlace = callPlace
            self.selfValue = selfValue
        }
    }

    package init(_ module: Module) { self.module = module }

    var frame: Frame { frames[frames.count - 1] }
    var depth: Int { frames.count - 1 }

    func place(_ range: ByteRange) -> Place { Place(file: frame.file, range: range) }

    /// Follows a function from its start.
    package func run(_ symbol: FunctionSymbol) {
        frames = [Frame(symbol: symbol, typeName: symbol.typeName, file: symbol.file, callPlace: nil)]
        var environment = Environment()
        for condition in symbol.conditions { environment.assumptions["#if " + condition] = true }
        for parameter in symbol.function.parameters {
            environment.variables[parameter.name] = parameterValue(parameter)
        }
        finish(symbol.function.body ?? [], environment)
    }

    /// Follows statements outside functions: those of a file, the value of a property, an accessor.
    package func run(
        _ statements: [Statement],
        typeName: String?,
        file: Int,
        conditions: [String],
        parameters: [Function.Parameter] = [],
        symbol: FunctionSymbol? = nil
    ) {
        frames = [Frame(symbol: symbol, typeName: typeName, file: file, callPlace: nil)]
        var environment = Environment()
        for condition in conditions { environment.assumptions["#if " + condition] = true }
        for parameter in parameters { environment.variables[parameter.name] = parameterValue(parameter) }
        finish(statements, environment)
    }

    private func finish(_ body: [Statement], _ environment: Environment) {
        if let end = execute(body, environment, isBody: true) {
            frame.returns.append((.unknown, end, nil))
            record(.ended, at: frame.symbol?.function.range ?? ByteRange(0, 0), in: end)
        }
    }

    func parameterValue(_ parameter: Function.Parameter) -> Value {
        symbolTypes[parameter.name] = parameter.type
        let type = module.typeAliases[Module.simpleName(parameter.type)] ?? parameter.type
        if Self.isDictionaryType(type), !parameter.isOptional {
            identities += 1
            return .dictionary(
                AbstractDictionary(variants: [.init(isOpen: true)], depth: depth, origin: nil, identity: identities)
            )
        }
        return parameter.isOptional ? .optionalSymbol(parameter.name) : .symbol(parameter.name)
    }

    static func isDictionaryType(_ type: String) -> Bool {
        var text = type.filter { $0 != " " && $0 != "?" && $0 != "!" }
        if text.hasPrefix("inout") { text.removeFirst("inout".count) }
        return text.hasPrefix("[String:") || text.hasPrefix("[CFString:") || text.hasPrefix("[NSString:")
            || text.hasPrefix("[AnyHashable:") || text.hasPrefix("Dictionary<") || text.hasSuffix("CFDictionary")
            || text.hasSuffix("NSDictionary") || text.hasSuffix("NSMutableDictionary")
            || text.hasSuffix("CFMutableDictionary")
    }

    // MARK: Statements

    func execute(_ statements: [Statement], _ start: Environment, isBody: Bool = false) -> Environment? {
        var environment = start
        // A body with a single expression returns it.
        if isBody, statements.count == 1, case .expression(let expression) = statements[0].kind,
            frame.symbol?.function.result != nil || frame.callPlace != nil
        {
            if depth == 0 { rootPlace = place(statements[0].range) }
            executeReturn(of: expression, at: expression.range, in: environment)
            return nil
        }
        var deferred: [[Statement]] = []
        for statement in statements {
            budget -= 1
            guard budget > 0 else { return nil }
            if depth == 0, closureDepth == 0 { rootPlace = place(statement.range) }
            if case .deferred(let body) = statement.kind {
                deferred.append(body)
                deferredDepth += 1
                if let after = execute(body, environment) { environment = after }
                deferredDepth -= 1
                continue
            }
            guard let next = execute(statement, environment) else { return nil }
            environment = next
        }
        return environment
    }

    private func execute(_ statement: Statement, _ start: Environment) -> Environment? {
        var environment = start
        switch statement.kind {
        case .expression(let expression):
            return executeExpression(expression, environment)
        case .variable(let variable):
            for binding in variable.bindings {
                let value = binding.value.map { evaluate($0, &environment) }
                if let name = binding.name {
                    if let type = binding.type { symbolTypes[name] = type }
                    environment.variables[name] = stored(value, for: binding, in: &environment)
                    recordStored(value, name)
                } else if let value {
                    if case .wildcard = binding.pattern { recordDiscarded(value, binding.range) }
                    bind(binding.pattern, to: .unknown, in: &environment)
                }
            }
            return environment
        case .condition(let conditions, let then, let otherwise):
            let (yes, no) = split(conditions, environment)
            let first = yes.flatMap { execute(then, $0) }
            let second = no.flatMap { execute(otherwise ?? [], $0) }
            return Environment.join(first, second)
        case .guarded(let conditions, let otherwise):
            let (yes, no) = split(conditions, environment)
            // Its end is never reached.
            if let no { _ = execute(otherwise, no) }
            return yes
        case .loop(let conditions, let body):
            let (yes, no) = split(conditions, environment)
            breakTargets.append([])
            let after = yes.flatMap { execute(body, $0) }
            let left = breakTargets.removeLast().reduce(after) { Environment.join($0, $1) }
            return Environment.join(left, no ?? environment)
        case .forEach(let pattern, let sequence, _, let body):
            return executeForEach(pattern, of: sequence, body: body, in: environment)
        case .choice(let subject, let cases): return executeChoice(of: subject, cases: cases, in: environment)
        case .attempt(let body, let catches): return executeAttempt(body, catches: catches, in: environment)
        case .returned(let expression):
            executeReturn(of: expression, at: statement.range, in: environment)
            return nil
        case .thrown(let expression):
            let mentioned = mentions { _ = self.evaluate(expression, &environment) }
            record(.thrown(expression, mentions: mentioned), at: statement.range, in: environment)
            throwTargets[throwTargets.count - 1].append(environment)
            return nil
        case .leave(let kind):
            if kind != .fallThrough, !breakTargets.isEmpty { breakTargets[breakTargets.count - 1].append(environment) }
            return nil
        case .conditional(let clauses):
            var result: Environment?
            var rest: Environment? = environment
            for clause in clauses {
                guard let current = rest else { break }
                let text = clause.condition.map { "#if " + $0 }
                if let entered = text == nil ? current : current.assuming(text, true) {
                    result = Environment.join(result, execute(clause.body, entered))
                }
                rest = text == nil ? nil : current.assuming(text, false)
            }
            return Environment.join(result, rest)
        case .function, .type, .importModule, .alias, .deferred: return environment
        }
    }

    /// `return`, also the one that is not written; the branches of `a ? b : c` return separately.
    private func executeReturn(of expression: Expression?, at range: ByteRange, in start: Environment) {
        var environment = start
        if let expression, case .ternary(let condition, let then, let otherwise) = expression.kind {
            let (yes, no) = split(condition, environment)
            if let yes { executeReturn(of: then, at: range, in: yes) }
            if let no { executeReturn(of: otherwise, at: range, in: no) }
            return
        }
        let value = expression.map { evaluate($0, &environment) } ?? .unknown
        // The caller has to read a helper's status.
        if depth == 0 { markRead(value) }
        record(.returned(value, expression), at: range, in: environment)
        frame.returns.append((value, environment, expression))
    }

    /// An expression whose value is discarded.
    private func executeExpression(_ expression: Expression, _ start: Environment) -> Environment? {
        var environment = start
        switch expression.kind {
        case .assign(let target, let value):
            assign(to: target, from: value, at: expression.range, in: &environment)
            return environment
        case .statement(let statement): return execute(statement, environment)
        case .call(let callee, _) where Self.neverReturns(callee):
            _ = evaluate(expression, &environment)
            record(.failure(callee.lastName ?? ""), at: expression.range, in: environment)
            return nil
        default:
            let isCall = if case .call = expression.bare.kind { true } else { false }
            let before = discarding
            discarding = isCall
            let value = evaluate(expression, &environment)
            discarding = before
            recordDiscarded(value, expression.range)
            return environment
        }
    }

    private static func neverReturns(_ callee: Expression) -> Bool {
        ["fatalError", "preconditionFailure", "exit", "abort", "#error"].contains(callee.lastName ?? "")
            && callee.path?.count == 1
    }

    private func stored(_ value: Value?, for binding: Variable.Binding, in environment: inout Environment) -> Value {
        guard let value else {
            if binding.type?.hasSuffix("?") == true { return .null }
            return binding.name.map { .symbol($0) } ?? .unknown
        }
        // A dictionary that is annotated as mutable is shared by all references to it.
        if case .dictionary(let dictionary) = value, binding.type.map(Self.isMutableType) == true {
            return allocate(dictionary, &environment)
        }
        if case .unknown = value, let name = binding.name { return .symbol(name) }
        return value
    }

    static func isMutableType(_ type: String) -> Bool {
        type.contains("NSMutableDictionary") || type.contains("CFMutableDictionary")
    }

    func allocate(_ dictionary: AbstractDictionary, _ environment: inout Environment) -> Value {
        identities += 1
        environment.heap[identities] = dictionary
        return .reference(identities)
    }

    private func executeForEach(
        _ pattern: Pattern,
        of sequence: Expression,
        body: [Statement],
        in start: Environment
    ) -> Environment? {
        var environment = start
        let value = evaluate(sequence, &environment)
        let before = environment
        if let source = environment.dictionary(value), case .tuple(let names) = pattern.unbound,
            names.count == 2, case .name(let key) = names[0].unbound, case .name(let item) = names[1].unbound,
            copies(body, key: key, item: item, from: source, in: &environment)
        {
            return environment
        }
        if case .array(let values) = value, let first = values.first {
            bind(pattern, to: values.dropFirst().reduce(first) { $0.joined($1) }, in: &environment)
        } else if case .result(let site, _) = value {
            bind(pattern, to: .result(site, isWhole: false), in: &environment)
        } else {
            bind(pattern, to: nil, in: &environment)
        }
        breakTargets.append([])
        let after = execute(body, environment)
        let left = breakTargets.removeLast().reduce(after) { Environment.join($0, $1) }
        if case .array(let values) = value, !values.isEmpty { return left ?? before }
        return Environment.join(left, before)
    }

    /// `for (k, v) in source { target[k] = v }`.
    private func copies(
        _ body: [Statement],
        key: String,
        item: String,
        from source: AbstractDictionary,
        in environment: inout Environment
    ) -> Bool {
        guard body.count == 1, case .expression(let expression) = body[0].kind,
            case .assign(let target, let value) = expression.kind,
            case .index(let base, let arguments) = target.kind, arguments.count == 1,
            case .name(key) = arguments[0].value.bare.kind, case .name(item) = value.bare.kind
        else { return false }
        modify(base, in: &environment) { Self.merged($0, source, newWins: true) }
        return true
    }

    func bind(_ pattern: Pattern, to value: Value?, in environment: inout Environment) {
        switch pattern {
        case .name(let name):
            environment.variables[name] = value ?? .symbol(name)
        case .bind(let inner): bind(inner, to: value, in: &environment)
        case .tuple(let patterns): for inner in patterns { bind(inner, to: nil, in: &environment) }
        case .expression(let expression):
            // `case let .failure(status)`: the bound value is in the arguments.
            if case .call(_, let arguments) = expression.kind {
                for argument in arguments {
                    if case .name(let name) = argument.value.kind { environment.variables[name] = .symbol(name) }
                }
            }
        case .wildcard, .isType: break
        }
    }

    private func executeAttempt(
        _ body: [Statement],
        catches: [Statement.Catch],
        in start: Environment
    ) -> Environment? {
        throwTargets.append([])
        let after = execute(body, start)
        let thrown = throwTargets.removeLast()
        var failed = thrown.reduce(nil) { Environment.join($0, $1) }
        if catches.isEmpty {
            if let failed { throwTargets[throwTargets.count - 1].append(failed) }
            return after
        }
        var result = after
        for clause in catches {
            guard var entered = failed else { break }
            if let caught = caughtCodes(clause) {
                for (site, codes) in entered.codes where !codes.isDisjoint(with: caught) {
                    entered.codes[site] = codes.intersection(caught)
                    // "Other" stands for many codes: one of them is not all of them.
                    failed?.codes[site] = codes.subtracting(caught.subtracting(.other))
                }
            }
            entered.variables["error"] = .symbol("error")
            for pattern in clause.patterns { bind(pattern, to: nil, in: &entered) }
            result = Environment.join(result, execute(clause.body, entered))
            if clause.patterns.isEmpty, clause.filters.isEmpty { failed = nil }
        }
        if let failed { throwTargets[throwTargets.count - 1].append(failed) }
        return result
    }

    /// The codes that a `catch` clause handles, by the name of an error or by a comparison; else nil.
    private func caughtCodes(_ clause: Statement.Catch) -> CodeSet? {
        func meansNotFound(_ name: String) -> Bool {
            let name = name.lowercased()
            return name.contains("notfound") || name.contains("nosuchitem")
        }
        if clause.patterns.contains(where: { meansNotFound(Self.text($0)) }) { return .notFound }
        if clause.patterns.contains(where: { Self.text($0).lowercased().contains("duplicate") }) { return .duplicate }
        for filter in clause.filters {
            guard case .binary("==", let left, let right) = filter.kind else { continue }
            for side in [left, right] {
                guard let name = side.bare.lastName else { continue }
                if let number = CodeSet.number(named: name) { return CodeSet(code: number) }
                if meansNotFound(name) { return .notFound }
            }
        }
        return nil
    }

    static func text(_ pattern: Pattern) -> String {
        switch pattern {
        case .name(let name): name
        case .wildcard: "_"
        case .expression(let expression): expression.bare.lastName ?? ""
        case .tuple(let patterns): patterns.map(text).joined(separator: ",")
        case .bind(let inner): text(inner)
        case .isType(let type): type
        }
    }

    // MARK: Records

    func record(_ kind: Event.Kind, at range: ByteRange, in environment: Environment) {
        events.append(
            Event(
                kind: kind,
                place: place(range),
                depth: depth,
                codes: environment.codes,
                assumptions: environment.assumptions,
                rootPlace: rootPlace ?? place(range),
                rootCall: frames.count > 1 ? frames[1].callPlace ?? place(range) : place(range),
                isDeferred: deferredDepth > 0
            )
        )
    }

    /// The sites whose status is read during an action.
    func mentions(_ action: () -> Void) -> Set<Int> {
        let before = readLog.count
        action()
        return Set(readLog[before...])
    }

    func markRead(_ value: Value) {
        switch value {
        case .status(let site):
            sites[site].isStatusRead = true
            readLog.append(site)
        case .test(let site, _, _), .outcome(let site, _, _, _):
            sites[site].isStatusRead = true
            readLog.append(site)
        case .either(let values): for item in values { markRead(item) }
        case .result(let site, _): sites[site].isResultRead = true
        default: break
        }
    }
}

extension Pattern {
    /// Without `let` around it.
    var unbound: Pattern { if case .bind(let inner) = self { inner.unbound } else { self } }
}
