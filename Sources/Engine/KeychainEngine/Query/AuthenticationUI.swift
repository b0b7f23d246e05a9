// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What to do about items that need somebody to authenticate (`kSecUseAuthenticationUI`).
enum AuthenticationUI: Sendable, Hashable {
    case allow
    case fail
    case skip

    /// Reads `kSecUseAuthenticationUI`, and `kSecUseNoAuthenticationUI` where the first is not given.
    ///
    /// Any value but the constants means allow, and so does any but the Boolean true of the older key (Semantics,
    /// "Values and combinations").
    init(_ dictionary: PropertyDictionary) {
        switch dictionary[PropertyKey.useAuthenticationUI] {
        case .string(PropertyKey.useAuthenticationUIFail): self = .fail
        case .string(PropertyKey.useAuthenticationUISkip): self = .skip
        case nil: self = dictionary[PropertyKey.useNoAuthenticationUI] == .boolean(true) ? .fail : .allow
        default: self = .allow
        }
    }
}
