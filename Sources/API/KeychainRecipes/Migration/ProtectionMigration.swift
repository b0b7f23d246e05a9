// SPDX-License-Identifier: Apache-2.0

public import Keychain

/// Gives items that are stored already another protection: other accessibility, or an access control.
///
/// Each item is changed in place, by one update, which the keychain carries out whole or not at all. An item is never
/// deleted and added again: the app could end between the two, and on a locked device the first succeeds and the second
/// does not.
///
/// A run looks at every item first. If one of them cannot be read because the device is locked, nothing is changed, and
/// the error names those items. A run that ends in the middle leaves each item with its old protection or with the new
/// one, and the next run finds which.
///
/// A run prompts nobody, except for ``GuardedItems/replaceGuard(_:)``.
///
/// ```swift
/// let migration = ProtectionMigration(to: .accessible(.afterFirstUnlockThisDeviceOnly), in: SystemKeychain())
/// let report = try migration.run(tokens)
/// ```
public struct ProtectionMigration: Sendable {
    private let protection: Protection
    private let keychain: any KeychainProtocol
    private let guardedItems: GuardedItems

    /// A migration.
    ///
    /// - Parameters:
    ///   - protection: what is to protect the items.
    ///   - keychain: the keychain.
    ///   - guardedItems: what to do with items that require authentication.
    public init(
        to protection: Protection,
        in keychain: any KeychainProtocol,
        guardedItems: GuardedItems = .leave
    ) {
        self.protection = protection
        self.keychain = keychain
        self.guardedItems = guardedItems
    }

    /// What to do with items under an access control that requires authentication.
    public enum GuardedItems: Sendable {
        /// Leave them, without a prompt: a new accessibility replaces the access control, and nothing would require
        /// authentication any more.
        case leave
        /// Change them, after a prompt: by `Authentication.allowed(_:)` for each of them more than once, by
        /// `Authentication.context(_:)` once for all where the device allows it.
        case replaceGuard(Authentication)
    }

    /// Changes items.
    ///
    /// - Parameter items: the items.
    /// - Returns: What became of each item, in their order.
    /// - Throws: ``ItemsLockedError``; nothing has changed then.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    @discardableResult
    public func run(_ items: [any KeychainItem]) throws(ItemsLockedError) -> ItemReport<Outcome> {
        let states = try ItemState.inspect(items, in: keychain)
        var report = ItemReport<Outcome>()
        for (item, state) in zip(items, states) { report.note(outcome(item, state), of: item) }
        return report
    }

    /// Does the same on a thread of its own; invalidating a context that it was given ends a prompt.
    @discardableResult
    public func run(_ items: [any KeychainItem]) async throws(ItemsLockedError) -> ItemReport<Outcome> {
        try await waiting { () throws(ItemsLockedError) in try run(items) }
    }

    /// What became of an item.
    public enum Outcome: Sendable {
        /// It has the new protection.
        case changed
        /// It had the new protection already.
        case alreadyProtected
        /// It requires authentication, and was left unchanged.
        case leftGuarded
        /// There is no such item.
        case absent
        /// It was not changed.
        case failed(KeychainItemError)
    }

    private func outcome(_ item: any KeychainItem, _ state: ItemState) -> Outcome {
        switch (state, guardedItems) {
        case (.absent, _): .absent
        case (.failed(let error), _): .failed(error)
        case (.readable(let attributes), _) where attributes.protection == protection: .alreadyProtected
        // A guard that lets this read through, of a simulator or of a key that asks when it is used, is a guard.
        case (.readable(let attributes), .leave)
        where attributes.protection?.isGuarded == true && attributes.protection?.constraints.isEmpty == false:
            .leftGuarded
        case (.readable, .leave): change(item, .forbidden)
        case (.readable, .replaceGuard(let authentication)): change(item, authentication)
        case (.guarded, .leave): .leftGuarded
        case (.guarded, .replaceGuard(let authentication)): changeGuarded(item, authentication)
        }
    }

    private func changeGuarded(_ item: any KeychainItem, _ authentication: Authentication) -> Outcome {
        do throws(KeychainItemError) {
            let attributes = try keychain.attributes(of: item, authentication: authentication)
            return attributes?.protection == protection ? .alreadyProtected : change(item, authentication)
        } catch { return .failed(error) }
    }

    private func change(_ item: any KeychainItem, _ authentication: Authentication) -> Outcome {
        do throws(KeychainItemError) {
            let update = ItemUpdate(protection: protection)
            return try keychain.update(item, with: update, authentication: authentication) ? .changed : .absent
        } catch { return .failed(error) }
    }
}

extension ProtectionMigration {
    /// Changes every item of a selection.
    ///
    /// Items that require authentication are not named without. Where ``GuardedItems/leave`` applies, they are
    /// therefore left out of the report, and ``ItemReport/isComplete`` is false.
    ///
    /// - Parameter selection: which items.
    /// - Returns: What became of each item.
    /// - Throws: `KeychainItemError` when the items cannot be listed, which one locked item is enough for, and
    ///   ``ItemsLockedError``; nothing has changed then.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    @discardableResult
    public func run<Item: KeychainItem>(matching selection: ItemSelection<Item>) throws -> ItemReport<Outcome> {
        let (found, isComplete) = try list(selection)
        var report = try run(found.map(\.item))
        report.isComplete = isComplete
        return report
    }

    /// Does the same on a thread of its own; invalidating a context that it was given ends a prompt.
    @discardableResult
    public func run<Item: KeychainItem>(matching selection: ItemSelection<Item>) async throws -> ItemReport<Outcome> {
        try await waiting { try run(matching: selection) }
    }

    private func list<Item: KeychainItem>(
        _ selection: ItemSelection<Item>
    ) throws(KeychainItemError) -> (found: [FoundItem<Item>], isComplete: Bool) {
        do throws(KeychainItemError) {
            return (try keychain.items(matching: selection, authentication: .forbidden), true)
        } catch { guard error.needsAuthentication else { throw error } }
        return switch guardedItems {
        case .leave: (try keychain.items(matching: selection, authentication: .skippingGuarded), false)
        case .replaceGuard(let authentication):
            (try keychain.items(matching: selection, authentication: authentication), true)
        }
    }
}
