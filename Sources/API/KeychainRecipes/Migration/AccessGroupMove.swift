// SPDX-License-Identifier: Apache-2.0

public import Keychain

/// Moves items from one access group to another, such as from the app's own to one that it shares with an extension.
///
/// An item is moved in place, by one update of its group: it is never in neither or in both, and persistent references
/// to it stay valid. The keychain can do that for every item of an app that has both groups. An update is not possible
/// in one case: if the target group has an item with the same key. Then ``CollisionPolicy`` decides, and
/// ``CollisionPolicy/replaceTarget`` copies into the target's item, reads it back, and deletes the source last.
///
/// A group that the app may not use is reported before anything is changed, and so are items that cannot be read
/// because the device is locked. An interrupted move is completed by the next run. A run never prompts unless its
/// authentication allows that; without, items that require authentication stay where they are.
///
/// - Note: Items cannot be moved between teams: the entitlements of no app have groups of both.
public struct AccessGroupMove: Sendable {
    private let source: String
    private let target: String
    let keychain: any KeychainProtocol
    let collisionPolicy: CollisionPolicy

    /// Creates a move.
    ///
    /// - Parameters:
    ///   - source: the current group of the items, with the team's prefix.
    ///   - target: the new group of the items.
    ///   - keychain: the keychain.
    ///   - collisionPolicy: what to do if the target has an item with the same key and another secret.
    public init(
        from source: String,
        to target: String,
        in keychain: any KeychainProtocol,
        onCollision collisionPolicy: CollisionPolicy = .stop
    ) {
        self.source = source
        self.target = target
        self.keychain = keychain
        self.collisionPolicy = collisionPolicy
    }

    /// What to do if the target group has an item with the same key and another secret.
    public enum CollisionPolicy: String, Sendable, Hashable, CaseIterable {
        /// Leave both as they are, and report it.
        case stop
        /// Keep the target's, and delete the source's: its secret is lost.
        case keepTarget
        /// Replace the target's secret and protection by the source's: its secret is lost. For passwords; other items
        /// are left.
        case replaceTarget
    }

    /// The outcome for an item.
    public enum Outcome: Sendable {
        /// It is in the target group.
        case moved
        /// It was in the target group already, and not in the source.
        case alreadyMoved
        /// The target had the same secret; it got the source's protection, except with ``CollisionPolicy/keepTarget``,
        /// and the source's item was deleted.
        case merged
        /// The target has another secret, or the source's protection cannot be determined; both are unchanged.
        case collision
        /// The target had another secret, which was kept; the source's item was deleted.
        case keptTarget
        /// The target had another secret, which was replaced; the source's item was deleted.
        case replacedTarget
        /// It is in neither group.
        case absent
        /// It was not moved; the error shows if the item requires authentication.
        case failed(KeychainItemError)
    }

    /// Moves items.
    ///
    /// - Parameters:
    ///   - items: the items; their own access groups are ignored.
    ///   - authentication: whether and how the user may be prompted for items that require authentication; never,
    ///     unless it is given. `Authentication.context(_:)` prompts once for all where the device allows it.
    /// - Returns: The outcome for each item, in order.
    /// - Throws: ``AccessGroupMoveError``; nothing has changed then.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    @discardableResult
    public func run(
        _ items: [any KeychainItem],
        authentication: Authentication = .forbidden
    ) throws(AccessGroupMoveError) -> ItemReport<Outcome> {
        for group in [source, target] { try probe(group) }
        let states: [ItemState]
        do throws(ItemsLockedError) {
            states = try ItemState.inspect(items.map { $0.inAccessGroup(source) }, in: keychain)
        } catch { throw .locked(error) }
        var report = ItemReport<Outcome>()
        for (item, state) in zip(items, states) {
            do throws(KeychainItemError) {
                report.record(try move(item, in: state, authentication: authentication), of: item)
            } catch { report.record(.failed(error), of: item) }
        }
        return report
    }

    /// Does the same on a thread of its own; invalidating a given context ends a prompt.
    @discardableResult
    public func run(
        _ items: [any KeychainItem],
        authentication: Authentication = .forbidden
    ) async throws(AccessGroupMoveError) -> ItemReport<Outcome> {
        try await waiting { () throws(AccessGroupMoveError) in try run(items, authentication: authentication) }
    }

    /// Whether the app may use a group: determined by searching for an item that does not exist, without a prompt.
    private func probe(_ group: String) throws(AccessGroupMoveError) {
        let nothing = GenericPassword(service: "swift-keychain.probe", account: group, accessGroup: group)
        do throws(KeychainItemError) {
            _ = try keychain.attributes(of: nothing, authentication: .forbidden)
        } catch {
            throw error.isMissingEntitlement ? .missingEntitlement(group: group) : .keychain(error)
        }
    }

    private func move(
        _ item: any KeychainItem,
        in state: ItemState,
        authentication: Authentication
    ) throws(KeychainItemError) -> Outcome {
        let (old, new) = (item.inAccessGroup(source), item.inAccessGroup(target))
        if case .failed(let error) = state { throw error }
        if source == target {
            if case .absent = state { return .absent }
            return .alreadyMoved
        }
        if case .absent = state { return try isThere(new) ? .alreadyMoved : .absent }
        do throws(KeychainItemError) {
            let update = ItemUpdate(accessGroup: target)
            if try keychain.update(old, with: update, authentication: authentication) { return .moved }
            return try isThere(new) ? .alreadyMoved : .absent
        } catch {
            guard error.isDuplicate else { throw error }
        }
        return try resolve(old, against: new, authentication: authentication)
    }

    private func isThere(_ item: any KeychainItem) throws(KeychainItemError) -> Bool {
        do throws(KeychainItemError) {
            return try keychain.attributes(of: item, authentication: .forbidden) != nil
        } catch {
            // An item that requires authentication exists.
            guard error.needsAuthentication else { throw error }
            return true
        }
    }
}

/// Why nothing was moved to another access group.
public enum AccessGroupMoveError: Error, Sendable {
    /// The app's entitlements have no such group.
    case missingEntitlement(group: String)
    /// Some items cannot be read because the device is locked.
    case locked(ItemsLockedError)
    /// The keychain failed.
    case keychain(KeychainItemError)
}
