// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

extension Entitlements {
    /// The groups by the keys of the property list in a signature.
    var groups: [String: [String]] {
        let keychain = keychainAccessGroups.map { $0 == PropertyKey.accessGroupToken ? $0 : "\(team).\($0)" }
        return [
            Self.keychainKey: keychain,
            Self.identifierKey: [applicationIdentifier],
            Self.applicationGroupsKey: applicationGroups,
        ]
    }

    /// The keychain's client for the program.
    func client(on platform: VirtualDevice.Platform) -> Client {
        Client(
            accessGroups: accessGroups,
            profile: platform.isMac ? .macOS : .iOS,
            appClipIdentifier: kind == .appClip ? applicationIdentifier : nil,
            isNetworkExtension: kind == .networkExtension
        )
    }

    /// The property list for `SecTaskCopyValueForEntitlement`.
    func propertyList(on platform: VirtualDevice.Platform) -> [UInt8] {
        let prefix = platform.isMac ? "com.apple." : ""
        var values: [String: Any] = [
            prefix + Self.identifierKey: applicationIdentifier,
            "com.apple.developer.team-identifier": team,
        ]
        // A signature contains no empty list.
        for key in [Self.keychainKey, Self.applicationGroupsKey] {
            if let list = groups[key], !list.isEmpty { values[key] = list }
        }
        switch kind {
        case .app: break
        case .appClip: values["com.apple.developer.on-demand-install-capable"] = true
        case .networkExtension:
            values["com.apple.developer.networking.networkextension"] = ["packet-tunnel-provider"]
        }
        let data = try? PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        return Array(data ?? Data())
    }

    private static let keychainKey = "keychain-access-groups"
    private static let identifierKey = "application-identifier"
    private static let applicationGroupsKey = "com.apple.security.application-groups"
}
