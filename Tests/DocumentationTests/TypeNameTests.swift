// SPDX-License-Identifier: Apache-2.0

import Testing

/// A name means one thing in the whole package: who reads it need not look at the imports.
@Suite("Names of types")
struct TypeNameTests {
    @Test("a name of a type at the top level of a file is used in one module")
    func unique() throws {
        var modules: [String: Set<String>] = [:]
        for file in try Repository.files(in: ["Sources"], ending: "swift") {
            let module = file.split(separator: "/").drop { $0 != "Sources" }.dropFirst(2).first.map(String.init)
            for name in try Self.types(in: file) { modules[name, default: []].insert(try #require(module)) }
        }
        #expect(modules.count > 1_000)
        let shared = modules.filter { $0.value.count > 1 }
        #expect(shared.isEmpty, "\(shared.map { "\($0.key): \($0.value.sorted())" }.sorted())")
    }

    /// The types that a file declares at its top level, but those that no other file sees.
    private static func types(in file: String) throws -> [String] {
        let declaration =
            #/
            ^(?:(?:@\w+(?:\([^)]*\))?|public|package|final|indirect)\ )*
            (?:struct|class|enum|actor|protocol|typealias)\ (?<name>\w+)
            /#
        return try Repository.lines(of: file).compactMap { try declaration.prefixMatch(in: $0).map { String($0.name) } }
    }
}
