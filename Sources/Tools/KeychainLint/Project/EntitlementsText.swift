// SPDX-License-Identifier: Apache-2.0

/// The entitlements of a program that concern the keychain.
struct EntitlementsText {
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

extension Linter {
    /// The keychain access groups of an entitlements file, in their order.
    public static func accessGroups(ofEntitlements text: String) -> [String] {
        EntitlementsText(.init(path: "", text: text)).groups.map(\.text)
    }
}
