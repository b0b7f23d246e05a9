// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension JSONValue {
    /// The members of an object; anything else is a defect of the case.
    func object(_ what: String) throws(CaseDefect) -> [String: JSONValue] {
        guard case .object(let members) = self else { throw CaseDefect("\(what) is not an object") }
        return members
    }

    /// The elements of an array; anything else is a defect of the case.
    func array(_ what: String) throws(CaseDefect) -> [JSONValue] {
        guard case .array(let elements) = self else { throw CaseDefect("\(what) is not an array") }
        return elements
    }

    /// The characters of a string; anything else is a defect of the case.
    func string(_ what: String) throws(CaseDefect) -> String {
        guard case .string(let characters) = self else { throw CaseDefect("\(what) is not a string") }
        return characters
    }

    /// A truth value; anything else is a defect of the case.
    func boolean(_ what: String) throws(CaseDefect) -> Bool {
        guard case .boolean(let value) = self else { throw CaseDefect("\(what) is not a boolean") }
        return value
    }

    /// An integer; anything else is a defect of the case.
    func integer(_ what: String) throws(CaseDefect) -> Int {
        guard case .integer(let number) = self else { throw CaseDefect("\(what) is not an integer") }
        return number
    }
}

extension [String: JSONValue] {
    /// Refuses members that nothing would look at, so that a misspelt one cannot make a case pass.
    func allow(only names: Set<String>, in what: String) throws(CaseDefect) {
        for name in keys.sorted() where !names.contains(name) {
            throw CaseDefect("unknown member \"\(name)\" of \(what)")
        }
    }

    /// The member of this name; its absence is a defect of the case.
    func required(_ name: String, of what: String) throws(CaseDefect) -> JSONValue {
        guard let value = self[name] else { throw CaseDefect("\(what) has no member \"\(name)\"") }
        return value
    }
}
