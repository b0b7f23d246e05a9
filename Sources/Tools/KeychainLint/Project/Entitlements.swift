// SPDX-License-Identifier: Apache-2.0

/// The entitlements of a program that concern the keychain.
struct Entitlements {
    var path: String
    private var list: PropertyListLines

    init(_ file: Project.TextFile) {
        path = file.path
        list = PropertyListLines(file)
    }

    /// The keychain access groups, in their order: the first is the default for new items.
    var groups: [(text: String, line: Int)] { list.strings("keychain-access-groups") }

    var applicationGroups: [(text: String, line: Int)] { list.strings("com.apple.security.application-groups") }

    /// Whether the file belongs to a program for macOS.
    var isMac: Bool {
        list.has("com.apple.security.app-sandbox") || list.has("com.apple.security.cs.allow-jit")
            || list.has("com.apple.security.cs.disable-library-validation")
            || list.has("com.apple.application-identifier")
    }

    /// Whether the data protection keychain of macOS accepts the program: with an application identifier or a group.
    var opensDataProtectionKeychain: Bool {
        !groups.isEmpty || !applicationGroups.isEmpty || list.has("com.apple.application-identifier")
            || list.has("application-identifier") || list.has("com.apple.developer.team-identifier")
    }

    /// The line of the list of groups; nil if there is none.
    var groupsLine: Int? { list.entries.first { $0.key == "keychain-access-groups" }?.line }
}

/// The name of a keychain access group or of an app group.
struct GroupName: Hashable {
    /// The name as written in the file or in the code.
    var text: String

    private static let prefixVariables = [
        "$(AppIdentifierPrefix)", "$(TeamIdentifierPrefix)", "${AppIdentifierPrefix}", "${TeamIdentifierPrefix}",
    ]

    private var variable: String? { Self.prefixVariables.first { text.hasPrefix($0) } }

    /// Whether it begins with a ten-character team identifier and a dot.
    var hasTeam: Bool {
        let prefix = text.prefix { $0 != "." }
        return prefix.count == 10 && prefix.count < text.count && prefix.allSatisfy { $0.isUppercase || $0.isNumber }
    }

    /// Whether it begins with a prefix variable or a team identifier.
    var hasPrefix: Bool { variable != nil || hasTeam }

    /// `com.example` of `$(AppIdentifierPrefix)com.example` and of `A1B2C3D4E5.com.example`.
    var name: String {
        if let variable { return String(text.dropFirst(variable.count)) }
        return hasTeam ? String(text.dropFirst(11)) : text
    }

    private static let configurationWords: Set<String> = [
        "debug", "dev", "develop", "development", "alpha", "beta", "staging", "stage", "qa", "uat", "adhoc", "nightly",
        "enterprise", "internal", "test", "testing", "release", "production", "prod", "appstore", "local", "canary",
    ]

    /// The name without the suffix that distinguishes configurations of a product: `com.example` of
    /// `com.example.debug`.
    var withoutConfiguration: String {
        name.split(separator: ".").map { part in
            part.split(separator: "-").filter { !Self.configurationWords.contains($0.lowercased()) }
                .joined(separator: "-")
        }.filter { !$0.isEmpty }.joined(separator: ".")
    }
}

extension Linter {
    /// The keychain access groups of an entitlements file, in their order.
    public static func accessGroups(ofEntitlements text: String) -> [String] {
        Entitlements(.init(path: "", text: text)).groups.map(\.text)
    }
}
