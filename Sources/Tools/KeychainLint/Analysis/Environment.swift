// SPDX-License-Identifier: Apache-2.0

/// The facts known at a point of a function.
package struct Environment {
    var variables: [String: Value] = [:]
    var codes: [Int: CodeSet] = [:]
    var heap: [Int: AbstractDictionary] = [:]
    var assumptions: [String: Bool] = [:]
    /// The sites on some path to this point.
    var passed: Set<Int> = []

    /// Beyond this number of conditions, tracking each one helps no rule.
    private static let maximumAssumptions = 48

    /// Joins the facts of two paths; nil is a path that is never taken.
    static func join(_ left: Environment?, _ right: Environment?) -> Environment? {
        guard var left else { return right }
        guard var right else { return left }
        left.stamp(against: &right)
        var result = Environment()
        for (name, value) in left.variables {
            if let other = right.variables[name] { result.variables[name] = value.joined(other) }
        }
        for (index, codes) in left.codes { result.codes[index] = codes.union(right.codes[index] ?? .all) }
        for (index, codes) in right.codes where left.codes[index] == nil { result.codes[index] = codes.union(.all) }
        result.passed = left.passed.union(right.passed)
        result.heap = left.heap.merging(right.heap) { $0 == $1 ? $0 : $0.joined($1) }
        for (text, value) in left.assumptions where right.assumptions[text] == value {
            result.assumptions[text] = value
        }
        return result
    }

    /// Records in dictionaries that differ on two paths which path each belongs to.
    private mutating func stamp(against other: inout Environment) {
        let differing = assumptions.filter { other.assumptions[$0.key] == !$0.value }
        guard !differing.isEmpty else { return }
        for (name, value) in variables {
            guard let second = other.variables[name], value != second else { continue }
            variables[name] = value.stamped(differing)
            other.variables[name] = second.stamped(differing.mapValues { !$0 })
        }
    }

    /// Records a condition; dictionaries created under its opposite are dropped.
    func assuming(_ text: String?, _ isTrue: Bool) -> Environment? {
        guard let text else { return self }
        if let known = assumptions[text] { return known == isTrue ? self : nil }
        guard assumptions.count < Self.maximumAssumptions else { return self }
        var result = self
        result.assumptions[text] = isTrue
        for (name, value) in variables { result.variables[name] = value.assuming(text, isTrue) }
        return result
    }

    func refined(_ site: Int, _ set: CodeSet) -> Environment? {
        let left = (codes[site] ?? .all).intersection(set)
        if left.isEmpty { return nil }
        var result = self
        result.codes[site] = left
        return result
    }

    /// The dictionary of a value, also through a reference.
    func dictionary(_ value: Value) -> AbstractDictionary? {
        switch value {
        case .dictionary(let dictionary): return dictionary
        case .reference(let index): return heap[index]
        case .either(let values):
            let found = values.compactMap { dictionary($0) }
            guard let first = found.first else { return nil }
            var all = found.dropFirst().reduce(first) { $0.joined($1) }
            if found.count < values.filter({ !$0.isNull }).count {
                all.variants.append(.init(isOpen: true))
            }
            return all
        default: return nil
        }
    }
}

extension Value {
    fileprivate func stamped(_ assumptions: [String: Bool]) -> Value {
        guard case .dictionary(var dictionary) = self else { return self }
        for index in dictionary.variants.indices {
            dictionary.variants[index].assumptions.merge(assumptions) { old, _ in old }
        }
        return .dictionary(dictionary)
    }

    fileprivate func assuming(_ text: String, _ isTrue: Bool) -> Value {
        guard case .dictionary(var dictionary) = self else { return self }
        let left = dictionary.variants.filter { $0.assumptions[text] != !isTrue }
        guard !left.isEmpty, left.count < dictionary.variants.count else { return self }
        dictionary.variants = left
        return .dictionary(dictionary)
    }
}
