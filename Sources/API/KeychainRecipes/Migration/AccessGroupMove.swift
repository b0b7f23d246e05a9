// SPDX-License-Identifier: Apache-2.0

public import Keychain

/// Moves items from one access group to another, such as from the app's own to one that it shares with an extension.
///
/// An item is moved in place, by one update of its group: at no moment is it in neither or in both, and persistent
/// references to it stay good. The keychain can do that for every item of an app that has both groups. An update cannot
/// do it in one case: when the target group has an item with the same key. Then ``CollisionPolicy`` counts, and
/// ``CollisionPolicy/replaceTarget`` copies into the target's item, reads it back, and deletes the source last.
///
/// A group that the app may not use is named before anything is changed, and so are items that cannot be read because
/// the device is locked. A move that was interrupted is finished by the next run. A run prompts nobody unless it is
/// given an authentication that may; without, items that require authentication stay where they are.
///
/// - Note: Nothing moves items between teams: the entitlements of no app have groups of both.
public struct AccessGroupMove: Sendable {
    private let source: String
    private let target: String
    let keychain: any KeychainProtocol
    let collisionPolicy: CollisionPolicy

    /// A move.
    ///
    /// - Parameters:
    ///   - source: the group that the items are in, with the team's prefix.
    ///   - target: the group that they are to be in.
    ///   - keychain: the keychain.
    ///   - collisionPolicy: what to do where the target has an item with the same key and another secret.
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

    /// What to do where the target group has an item with the same key and another secret.
    public enum CollisionPolicy: String, Sendable, Hashable, CaseIterable {
        /// Leave both as they are, and report it.
        case stop
        /// Keep the target's, and delete the source's: its secret is lost.
        case keepTarget
        /// Replace the target's secret and protection by the source's: its secret is lost. For passwords; others are
        /// left.
        case replaceTarget
    }

    /// What became of an item.
    public enum Outcome: Sendable {
        /// It is in the target group.
        case moved
        /// It was in the target group already, and not in the source.
        case alreadyMoved
        /// The target had the same secret; it got the source's protection, except by ``CollisionPolicy/keepTarget``,
        /// and the source's item was deleted.
        case merged
        /// The target has another secret, or the source's protection cannot be told; both are as they were.
        case collision
        /// The target had another secret, which was kept; the source's item was deleted.
        case keptTarget
        /// The target had another secret, which was replaced; the source's item was deleted.
        case replacedTarget
        /// It is in neither group.
        case absent
        /// It was not moved; of an item that requires authentication the error says so.
        case failed(KeychainItemError)
    }

    /// Moves items.
    ///
    /// - Parameters:
    ///   - items: the items; in which group they say they are does not count.
    ///   - authentication: whether and how the user may be prompted for items that require authentication; never,
    ///     unless it is given. `Authentication.context(_:)` prompts once for all where the device allows it.
    /// - Returns: What became of each item, in their order.
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
                report.note(try move(item, state, authentication), of: item)
            } catch { report.note(.failed(error), of: item) }
        }
        return report
    }

    /// Does the same on a thread of its own; invalidating a context that it was given ends a prompt.
    @discardableResult
    public func run(
        _ items: [any KeychainItem],
        authentication: Authentication = .forbidden
    ) async throws(AccessGroupMoveError) -> ItemReport<Outcome> {
        try await waiting { () throws(AccessGroupMoveError) in try run(items, authentication: authentication) }
    }

    /// Whether the app may use a group: looking for what is not there tells, without a prompt.
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
        _ state: ItemState,
        _ authentication: Authentication
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
        return try resolve(old, new, authentication)
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
