// SPDX-License-Identifier: Apache-2.0

/// The name of a keychain access group or of an app group.
struct WrittenGroupName: Hashable {
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
