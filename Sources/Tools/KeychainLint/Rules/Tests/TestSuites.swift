// SPDX-License-Identifier: Apache-2.0

/// A type that holds tests, at least one of which reaches the keychain.
struct TestSuite {
    var name: String
    var type: TypeSymbol
    /// The place of its name, which findings about it point to.
    var place: Place
    /// Its text with that of its extensions.
    var text: String
    var functions: [FunctionFacts]

    static func all(_ facts: ModuleFacts) -> [TestSuite] {
        let module = facts.module
        let functions = Dictionary(grouping: facts.functions.filter(\.isTest)) { $0.typeName ?? "" }
        return module.types.sorted { $0.key < $1.key }.compactMap { name, type in
            guard let own = functions[name], own.contains(where: { !$0.sites.isEmpty }), type.isTest, type.holdsTests,
                let (declaration, file) = type.declarations.first(where: { $0.declaration.keyword != "extension" })
            else { return nil }
            return TestSuite(
                name: name,
                type: type,
                place: Place(file: file, range: declaration.nameRange),
                text: type.declarations.map { module.files[$0.file].text($0.declaration.range) }.joined(
                    separator: "\n"
                ),
                functions: own
            )
        }
    }

    /// Whether the suite has a virtual keychain of its own for each test.
    var hasVirtualKeychain: Bool {
        [".keychain", "withKeychain", "KeychainDevice"].contains { text.contains($0) }
    }

    /// Whether it handles running on a simulator, or something being unavailable.
    var asksWhereItRuns: Bool {
        ["targetEnvironment(simulator)", "XCTSkip", ".enabled(if:", ".disabled("].contains { text.contains($0) }
    }
}

extension TypeSymbol {
    fileprivate var holdsTests: Bool {
        inherited.contains { $0.hasSuffix("TestCase") || $0 == "QuickSpec" }
            || declarations.contains { item in
                item.declaration.members.contains { member in
                    guard case .function(let function) = member.kind else { return false }
                    return function.attributes.contains { $0.name == "Test" }
                }
            }
    }
}
