// SPDX-License-Identifier: Apache-2.0

/// The value of an `#if` condition on a platform.
///
/// DEBUG is the only flag that is set, and every compiler version is recent enough.
struct CompilationCondition {
    /// The platform that a file is compiled for.
    enum Platform: String, CaseIterable {
        case iOS
        case macOS
        case linux = "Linux"

        fileprivate func isOS(_ name: Substring) -> Bool { name == rawValue || (self == .macOS && name == "OSX") }

        fileprivate func canImport(_ module: Substring) -> Bool {
            switch self {
            case .linux: Self.modulesOnLinux.contains(module)
            case .iOS: !Self.modulesOnLinuxAlone.contains(module) && !["AppKit", "Cocoa"].contains(module)
            case .macOS: !Self.modulesOnLinuxAlone.contains(module) && module != "UIKit"
            }
        }

        private static let modulesOnLinux: Set<Substring> = [
            "Foundation", "FoundationNetworking", "FoundationEssentials", "Dispatch", "Glibc", "Synchronization",
            "XCTest", "Testing", "Security", "LocalAuthentication", "KeychainTesting",
        ]

        private static let modulesOnLinuxAlone: Set<Substring> = ["FoundationNetworking", "Glibc", "KeychainTesting"]
    }

    /// The condition, without `#if`.
    let text: Substring

    /// Whether it holds; `false` if it cannot be parsed.
    func holds(on platform: Platform) -> Bool {
        var parser = Parser(rest: text, platform: platform)
        return parser.disjunction() ?? false
    }

    private struct Parser {
        var rest: Substring
        let platform: Platform

        mutating func disjunction() -> Bool? {
            guard var value = conjunction() else { return nil }
            while parseToken("||") {
                guard let next = conjunction() else { return nil }
                value = value || next
            }
            return value
        }

        private mutating func conjunction() -> Bool? {
            guard var value = negation() else { return nil }
            while parseToken("&&") {
                guard let next = negation() else { return nil }
                value = value && next
            }
            return value
        }

        private mutating func negation() -> Bool? {
            if parseToken("!") { return negation().map { !$0 } }
            if parseToken("(") {
                guard let value = disjunction(), parseToken(")") else { return nil }
                return value
            }
            return atom()
        }

        private mutating func atom() -> Bool? {
            let name = word { $0.isLetter || $0.isNumber || $0 == "_" }
            guard !name.isEmpty else { return nil }
            guard parseToken("(") else { return name == "true" || name == "DEBUG" }
            let argument = word { $0 != ")" }
            guard parseToken(")") else { return nil }
            return switch name {
            case "os": platform.isOS(argument)
            case "canImport": platform.canImport(argument.prefix { $0 != "," && $0 != "." })
            case "swift", "compiler": argument.hasPrefix(">")
            default: false
            }
        }

        private mutating func word(_ belongs: (Character) -> Bool) -> Substring {
            skipBlanks()
            let word = rest.prefix(while: belongs)
            rest = rest.dropFirst(word.count)
            return word
        }

        private mutating func parseToken(_ token: String) -> Bool {
            skipBlanks()
            guard rest.hasPrefix(token) else { return false }
            rest = rest.dropFirst(token.count)
            return true
        }

        private mutating func skipBlanks() { rest = rest.drop(while: \.isWhitespace) }
    }
}
