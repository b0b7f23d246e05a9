// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// How to handle items that require authentication (`kSecUseAuthenticationUI`).
enum AuthenticationUI: Sendable, Hashable {
    case allow
    case fail
    case skip

    /// Reads `kSecUseAuthenticationUI`, and `kSecUseNoAuthenticationUI` if the first is not given.
    ///
    /// Any value except the constants means allow, as does any value except the Boolean true of the older key
    /// (Semantics, "Values and combinations").
    init(_ dictionary: PropertyDictionary) {
        switch dictionary[PropertyKey.useAuthenticationUI] {
        case .string(PropertyKey.useAuthenticationUIFail): self = .fail
        case .string(PropertyKey.useAuthenticationUISkip): self = .skip
        case nil: self = dictionary[PropertyKey.useNoAuthenticationUI] == .boolean(true) ? .fail : .allow
        default: self = .allow
        }
    }
}
