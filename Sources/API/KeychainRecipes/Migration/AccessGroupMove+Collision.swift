// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain

extension AccessGroupMove {
    /// Merges two items with the same key in different groups.
    ///
    /// The source is deleted last, and only if the target has the intended contents.
    func resolve(
        _ old: any KeychainItem,
        against new: any KeychainItem,
        authentication: Authentication
    ) throws(KeychainItemError) -> Outcome {
        let secret = try data(of: old, authentication)
        if let secret, try data(of: new, authentication) == secret {
            // As after a move in place, except if the target is kept.
            if collisionPolicy != .keepTarget {
                guard try copyProtection(from: old, to: new, authentication) else { return .collision }
            }
            try keychain.delete(old)
            return .merged
        }
        switch collisionPolicy {
        case .stop: return .collision
        case .keepTarget:
            // An item that exists but cannot be read is no reason to delete the other.
            guard try keychain.contents(of: new, authentication: authentication) != nil else { return .collision }
            try keychain.delete(old)
            return .keptTarget
        case .replaceTarget:
            // Protection that cannot be determined cannot be carried over.
            guard let secret, let attributes = try keychain.attributes(of: old, authentication: authentication),
                let protection = attributes.protection
            else { return .collision }
            let update = ItemUpdate(data: secret, protection: protection, details: attributes.details)
            guard try keychain.update(new, with: update, authentication: authentication),
                try data(of: new, authentication) == secret
            else { return .collision }
            Checkpoint.notifyObserver("copied")
            try keychain.delete(old)
            return .replacedTarget
        }
    }

    /// Gives one item the protection of another; returns whether it has it.
    private func copyProtection(
        from old: any KeychainItem,
        to new: any KeychainItem,
        _ authentication: Authentication
    ) throws(KeychainItemError) -> Bool {
        guard let protection = try keychain.attributes(of: old, authentication: authentication)?.protection,
            let attributes = try keychain.attributes(of: new, authentication: authentication)
        else { return false }
        if attributes.protection == protection { return true }
        return try keychain.update(new, with: ItemUpdate(protection: protection), authentication: authentication)
    }

    private func data(
        of item: any KeychainItem,
        _ authentication: Authentication
    ) throws(KeychainItemError) -> Data? {
        guard case .data(let data) = try keychain.contents(of: item, authentication: authentication) else { return nil }
        return data
    }
}
