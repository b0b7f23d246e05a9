// SPDX-License-Identifier: Apache-2.0

import Keychain

/// The state of an item as far as it is known without a prompt.
enum ItemState {
    case absent
    case readable(ItemAttributes)
    /// It requires authentication.
    case guarded
    case failed(KeychainItemError)

    /// Looks at items, and fails if any is locked.
    static func inspect(
        _ items: [any KeychainItem],
        in keychain: any KeychainProtocol
    ) throws(ItemsLockedError) -> [ItemState] {
        var states: [ItemState] = []
        var locked: [any KeychainItem] = []
        for item in items {
            do throws(KeychainItemError) {
                let attributes = try keychain.attributes(of: item, authentication: .forbidden)
                states.append(attributes.map(ItemState.readable) ?? .absent)
            } catch {
                if error.isLocked { locked.append(item) }
                states.append(error.needsAuthentication ? .guarded : .failed(error))
            }
        }
        guard locked.isEmpty else { throw ItemsLockedError(items: locked) }
        return states
    }
}

/// The moments at which a recipe may be interrupted, for tests that interrupt it.
package enum Checkpoint {
    /// Called with the name of each moment.
    @TaskLocal package static var observer: (@Sendable (String) -> Void)?

    static func notifyObserver(_ moment: String) { observer?(moment) }
}
