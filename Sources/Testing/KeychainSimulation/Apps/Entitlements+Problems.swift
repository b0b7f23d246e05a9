// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Entitlements {
    /// Why no signature can contain these entitlements: one sentence for each reason; empty if one can.
    ///
    /// ``VirtualDevice/install(_:)`` makes the test fail for each of them.
    public func problems(on platform: VirtualDevice.Platform = .default) -> [String] {
        var problems: [String] = []
        if team.isEmpty || !team.utf8.allSatisfy(Self.isAlphanumeric) {
            problems.append("the team '\(team)' is not letters and digits, such as ABCDE12345")
        }
        let dotAndHyphen = Array(".-".utf8)
        if bundleIdentifier.isEmpty
            || !bundleIdentifier.utf8.allSatisfy({ Self.isAlphanumeric($0) || dotAndHyphen.contains($0) })
        {
            problems.append("the bundle identifier '\(bundleIdentifier)' is not letters, digits, dots and hyphens")
        }
        if bundleIdentifier.hasPrefix("\(team).") {
            problems.append("the bundle identifier '\(bundleIdentifier)' has the team's prefix, which is added to it")
        }
        problems += keychainAccessGroups.compactMap(problem(ofKeychainGroup:))
        return problems + applicationGroups.compactMap { problem(ofApplicationGroup: $0, on: platform) }
    }

    private func problem(ofKeychainGroup group: String) -> String? {
        if group.isEmpty || group.contains("*") { return "the keychain access group '\(group)' is no name of a group" }
        if group.contains("$(") {
            return "the keychain access group '\(group)' has a build variable: leave out the team's prefix"
        }
        guard group.hasPrefix("\(team).") else { return nil }
        return "the keychain access group '\(group)' has the team's prefix, which is added to it"
    }

    private func problem(ofApplicationGroup group: String, on platform: VirtualDevice.Platform) -> String? {
        let prefixes = ["group."] + (platform.isMac ? ["\(team)."] : [])
        if prefixes.contains(where: { group.hasPrefix($0) && group.utf8.count > $0.utf8.count }) { return nil }
        return "the app group '\(group)' does not begin with \(prefixes.joined(separator: " or "))"
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
