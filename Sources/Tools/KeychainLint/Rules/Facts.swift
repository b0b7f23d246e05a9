// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The facts about a function.
package struct FunctionFacts: Sendable {
    package var module: Module
    package var symbol: FunctionSymbol?
    /// The type that the function belongs to, also for code outside of functions.
    package var typeName: String?
    package var file: Int
    package var sites: [Site]
    package var events: [Event]
    package var accessControls: [AccessControlUse]
    /// Whether the function is too long to be followed to its end.
    package var isCutShort: Bool
    package var platforms: Platforms
    /// The calls that each dictionary literal of the program reaches, and each entry; known once all was analysed.
    package var reachedCalls: [Place: Set<Place>] = [:]

    package var source: SourceFile { module.files[file] }
    package var isTest: Bool { source.isTest }
    package var name: String { symbol?.function.name ?? "" }

    /// The sites whose dictionaries belong to this function.
    package var reported: [Site] { sites.filter(\.isReported) }

    /// Whether the analysed function, or one called from there, has a name that suggests an operation on many items.
    package func isBulk(_ site: Site) -> Bool {
        BulkNames.matches(name) || site.callers.contains { BulkNames.matches($0) }
    }
}

/// Names of functions that are intended to affect many items.
package enum BulkNames {
    private static let words = [
        "deleteall", "removeall", "clear", "reset", "wipe", "purge", "logout", "signout", "teardown", "eraseall",
        "erase", "destroyall", "cleanup", "clean", "flush", "deleteeverything", "all", "legacy", "obsolete",
        "uninstall",
        "unregister", "nuke", "scrub", "factory",
    ]

    /// Words after `destroy`, `delete` and `remove` for one item; without them these are about a whole store.
    private static let single = ["item", "key", "entry", "value", "token", "password", "credential", "secret"]

    package static func matches(_ name: String) -> Bool {
        let lower = name.lowercased()
        if lower.hasPrefix("destroy"), !single.contains(where: { lower.contains($0) }) { return true }
        return words.contains { $0 == "all" ? name.hasSuffix("All") || name.contains("All") : lower.contains($0) }
    }
}

/// The facts about a file.
package struct FileFacts: Sendable {
    package var module: Module
    package var file: Int
    package var platforms: Platforms

    package var source: SourceFile { module.files[file] }
}

/// The facts about a program.
package struct ModuleFacts: Sendable {
    package var module: Module
    package var functions: [FunctionFacts]
    /// Patterns of the names of types that may call item functions; empty when the configuration names none.
    package var stores: [String] = []
}

/// The platforms that a file is built for; empty if unknown.
package struct Platforms: OptionSet, Sendable, Hashable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let iOS = Platforms(rawValue: 1)
    package static let macOS = Platforms(rawValue: 2)
    package static let other = Platforms(rawValue: 4)
    /// Only a manifest names the platforms, and several: each is a minimum then, and nobody need build for it.
    package static let minimum = Platforms(rawValue: 8)
    /// The program has no entitlement for the data protection keychain, as far as is known.
    package static let unentitled = Platforms(rawValue: 16)
}

extension Platforms {
    /// Whether code is built for native macOS, and for nothing else.
    var isMacOnly: Bool { subtracting(.unentitled) == .macOS }
}

extension AbstractDictionary.Variant {
    /// Whether a program for macOS reaches the file-based keychain with it.
    func isFileBased(on platforms: Platforms) -> Bool {
        isFileBased
            || (platforms.isMacOnly && !isOpen && !has("kSecUseDataProtectionKeychain") && !has("kSecAttrAccessControl")
                && !has("kSecAttrTokenID") && !isTrue("kSecAttrSynchronizable"))
    }
}
