// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Client {
    /// The clients that a value holds anywhere, found by reflection: also one that its type does not speak of.
    package static func all(in value: Any) -> [Client] {
        if let client = value as? Client { return [client] }
        return Mirror(reflecting: value).children.flatMap { all(in: $0.value) }
    }
}
