// SPDX-License-Identifier: Apache-2.0

/// Assignments to variables and members.
extension Interpreter {
    func assign(
        to target: Expression,
        from source: Expression,
        at range: ByteRange,
        in environment: inout Environment
    ) {
        let value = evaluate(source, &environment)
        switch target.kind {
        case .text("_"), .name("_"): recordDiscarded(value, range)
        case .name(let name):
            environment.variables[variableName(name, environment)] = rebound(value, name)
            recordStored(value, name)
        case .member(let base?, let name):
            if base.path == ["self"] {
                environment.variables["self." + name] = rebound(value, "self." + name)
                recordStored(value, "self." + name)
                for case .status(let site) in value.alternatives { sites[site].isStatusRead = true }
            } else {
                markRead(value)
            }
            record(
                .call(
                    .init(
                        name: "=" + name,
                        receiver: base.path,
                        receiverType: nil,
                        arguments: [CallArgument(label: nil, value: source)],
                        isOptionalTry: false,
                        isDiscarded: true,
                        symbol: nil
                    )
                ),
                at: range,
                in: environment
            )
        case .index(let base, let arguments):
            markStored(value)
            guard arguments.count == 1 else { return }
            let key = evaluate(arguments[0].value, &environment)
            let entry = AbstractDictionary.Entry(value: value, place: place(range), depth: depth)
            modify(base, in: &environment) { Self.set($0, key: key, to: entry) }
        case .tuple(let arguments):
            for argument in arguments {
                if case .name(let name) = argument.value.kind { environment.variables[name] = .symbol(name) }
            }
        default: break
        }
    }

    func rebound(_ value: Value, _ name: String) -> Value {
        if case .unknown = value { return .symbol(name) }
        return value
    }

    /// A property that is named without `self` has the same entry as one with it.
    func variableName(_ name: String, _ environment: Environment) -> String {
        if environment.variables[name] != nil { return name }
        return property(name, of: frame.typeName) == nil ? name : "self." + name
    }

    /// Changes the dictionary that an expression names.
    func modify(
        _ base: Expression,
        in environment: inout Environment,
        _ change: (AbstractDictionary) -> AbstractDictionary
    ) {
        let bare = base.bare
        let name: String
        switch bare.kind {
        case .name(let text): name = variableName(text, environment)
        case .member(let inner?, let text) where inner.path == ["self"]: name = "self." + text
        default: return
        }
        let old = environment.variables[name] ?? evaluate(bare, &environment)
        switch old {
        case .reference(let index):
            if let dictionary = environment.heap[index] { environment.heap[index] = change(dictionary) }
        case .dictionary(let dictionary): environment.variables[name] = .dictionary(change(dictionary))
        default:
            if let dictionary = environment.dictionary(old) {
                environment.variables[name] = .dictionary(change(dictionary))
            }
        }
    }

    func recordDiscarded(_ value: Value, _ range: ByteRange) {
        for item in value.alternatives {
            guard case .status(let site) = item, !readLog.contains(site) else { continue }
            sites[site].discards.append(.init(place: place(range), depth: depth))
        }
    }

    func recordStored(_ value: Value?, _ name: String) {
        guard let value, name != "_" else { return }
        for case .status(let site) in value.alternatives {
            sites[site].statusVariable = name
            sites[site].statusDepth = depth
        }
    }
}
