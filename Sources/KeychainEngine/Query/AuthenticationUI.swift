// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What to do about items that need somebody to authenticate (`kSecUseAuthenticationUI`).
enum AuthenticationUI: Sendable, Hashable {
    case allow
    case fail
    case skip

    /// Reads `kSecUseAuthenticationUI`, and `kSecUseNoAuthenticationUI` where the first is not given.
    init(_ dictionary: PropertyDictionary) throws(KeychainError) {
        switch dictionary[PropertyKey.useAuthenticationUI] {
        case .string(PropertyKey.useAuthenticationUIAllow): self = .allow
        case .string(PropertyKey.useAuthenticationUIFail): self = .fail
        case .string(PropertyKey.useAuthenticationUISkip): self = .skip
        case nil: self = try Self.withoutConstant(dictionary[PropertyKey.useNoAuthenticationUI])
        default: throw .parameter("kSecUseAuthenticationUI is not one of its constants")
        }
    }

    private static func withoutConstant(_ value: PropertyValue?) throws(KeychainError) -> AuthenticationUI {
        switch value {
        case nil, .boolean(false): .allow
        case .boolean(true): .fail
        default: throw .parameter("kSecUseNoAuthenticationUI is not a Boolean")
        }
    }
}
