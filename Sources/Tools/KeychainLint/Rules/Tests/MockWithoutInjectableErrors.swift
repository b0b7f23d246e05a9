// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let mockWithoutInjectableErrors = Rule(
        "mock-without-injectable-errors",
        severity: .note,
        confidence: .medium,
        family: .tests,
        in: .tests,
        title: "A keychain for tests never fails",
        reason: """
            The real keychain is locked, or refuses, or has a duplicate. A stand-in that always succeeds hides what the \
            program does then.
            """,
        remedy: "Give it an error that tests set, and throw it from each method.",
        flagged: Example([
            "Sources/App/VaultType.swift": vaultType,
            "Tests/AppTests/FakeVault.swift": """
            final class FakeVault: VaultType {
                var d: [String: Data] = [:]
                func read(_ k: String) throws -> Data? { d[k] }
                func save(_ v: Data, _ k: String) throws { d[k] = v }
            }
            """,
        ]),
        accepted: Example([
            "Sources/App/VaultType.swift": vaultType,
            "Tests/AppTests/FakeVault.swift": """
            final class FakeVault: VaultType {
                var fail: VaultError?
                var d: [String: Data] = [:]
                func read(_ k: String) throws -> Data? { if let f = fail { throw f }; return d[k] }
                func save(_ v: Data, _ k: String) throws { if let f = fail { throw f }; d[k] = v }
            }
            """,
        ]),
        check: .module { all, report in
            let module = all.module
            let protocols = module.types.filter { name, type in
                type.keyword == "protocol" && type.canFail && KeychainStandIn.isAboutSecrets(name, module)
            }
            for (name, _) in protocols.sorted(by: { $0.key < $1.key }) {
                let standIns = module.types.filter { $0.value.isTest && $0.value.inherited.contains(name) }
                    .sorted { $0.key < $1.key }
                if standIns.contains(where: { KeychainStandIn.fails($0.value) }) { continue }
                for (standIn, type) in standIns
                where type.inherited.allSatisfy({ module.types[$0]?.keyword != "class" }) {
                    guard
                        let (declaration, file) = type.declarations.first(where: {
                            $0.declaration.keyword != "extension"
                        }),
                        ["class", "struct", "actor", "enum"].contains(declaration.keyword)
                    else { continue }
                    report.add(
                        Place(file: file, range: declaration.nameRange),
                        "stands in for \(name), and no test can make it fail",
                        context: standIn
                    )
                }
            }
        }
    )

    private static let vaultType = """
        protocol VaultType {
            func read(_ k: String) throws -> Data?
            func save(_ v: Data, _ k: String) throws
        }
        """
}

extension TypeSymbol {
    fileprivate var members: [Statement] { declarations.flatMap(\.declaration.members) }

    /// Whether a requirement throws or returns a status.
    fileprivate var canFail: Bool {
        members.contains { member in
            guard case .function(let function) = member.kind else { return false }
            return function.throws || function.result == "OSStatus" || function.result?.hasPrefix("Result<") == true
        }
    }
}

private enum KeychainStandIn {
    // A type that is itself a secret is not a store of secrets.
    private static let words = [
        "keychain", "vault", "secretstor", "secretprovid", "secretmanag", "credentialstor", "credentialmanag",
        "securestor", "securestorage", "tokenstor", "secureitem",
    ]

    /// Whether a protocol abstracts the keychain: by its name, or by its conforming types.
    static func isAboutSecrets(_ name: String, _ module: Module) -> Bool {
        let lower = name.lowercased()
        if words.contains(where: { lower.contains($0) }) { return true }
        return module.types.contains { type, symbol in
            !symbol.isTest && symbol.inherited.contains(name)
                && symbol.declarations.contains { item in
                    item.declaration.members.contains { member in
                        guard case .function(let function) = member.kind else { return false }
                        return module.reaches(function.name, of: type)
                    }
                }
        }
    }

    /// Whether methods throw, or a member sets the failure of the next call.
    static func fails(_ type: TypeSymbol) -> Bool {
        let names = ["error", "fail", "status", "throw", "mode", "result", "handler", "stub", "behavior", "behaviour"]
        for statement in SyntaxWalk.statements(type.members) {
            switch statement.kind {
            case .thrown: return true
            case .variable(let variable):
                for binding in variable.bindings {
                    let name = (binding.name ?? "").lowercased()
                    let type = binding.type ?? ""
                    if names.contains(where: { name.contains($0) }) { return true }
                    if type.contains("->") || type.contains("Error") || type.contains("OSStatus") { return true }
                }
            case .function(let function):
                if function.name == "init", function.parameters.contains(where: { $0.type.contains("->") }) {
                    return true
                }
            default: break
            }
        }
        // A status other than success that a method returns.
        return SyntaxWalk.expressions(type.members).contains { expression in
            guard let name = expression.lastName else { return false }
            return name.hasPrefix("errSec") && name != "errSecSuccess" && !name.hasSuffix("Data")
        }
    }
}
