// SPDX-License-Identifier: Apache-2.0

public import Keychain

/// Changes the protection of stored items: another accessibility, or an access control.
///
/// Each item is changed in place, by one update, which the keychain performs completely or not at all. An item is never
/// deleted and added again: the app could exit in between, and on a locked device the delete succeeds and the add does
/// not.
///
/// A run checks every item first. If one of them cannot be read because the device is locked, nothing is changed, and
/// the error names those items. An interrupted run leaves each item with either its old or its new protection, and the
/// next run continues.
///
/// A run never prompts, except for ``GuardedItems/replaceGuard(_:)``.
///
/// ```swift
/// let migration = ProtectionMigration(to: .accessible(.afterFirstUnlockThisDeviceOnly), in: SystemKeychain())
/// let report = try migration.run(tokens)
/// ```
public struct ProtectionMigration: Sendable {
    private let protection: Protection
    private let keychain: any KeychainProtocol
    private let guardedItems: GuardedItems

    /// Creates a migration.
    ///
    /// - Parameters:
    ///   - protection: the new protection of the items.
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
        /// Leave them, without a prompt: a new accessibility would replace the access control, and authentication would
        /// no longer be required.
        case leave
        /// Change them, after a prompt: with `Authentication.allowed(_:)` more than once for each of them, with
        /// `Authentication.context(_:)` once for all if the device allows it.
        case replaceGuard(Authentication)
    }

    /// Changes items.
    ///
    /// - Parameter items: the items.
    /// - Returns: The outcome for each item, in order.
    /// - Throws: ``ItemsLockedError``; nothing has changed then.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    @discardableResult
    public func run(_ items: [any KeychainItem]) throws(ItemsLockedError) -> ItemReport<Outcome> {
        let states = try ItemState.inspect(items, in: keychain)
        var report = ItemReport<Outcome>()
        for (item, state) in zip(items, states) { report.record(outcome(item, state), of: item) }
        return report
    }

    /// Does the same on a thread of its own; invalidating a given context ends a prompt.
    @discardableResult
    public func run(_ items: [any KeychainItem]) async throws(ItemsLockedError) -> ItemReport<Outcome> {
        try await waiting { () throws(ItemsLockedError) in try run(items) }
    }

    /// The outcome for an item.
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
        // A guard that allows this read, on a simulator or for a key that prompts when it is used, is still a guard.
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
    /// Items that require authentication cannot be listed without it. With ``GuardedItems/leave``, they are therefore
    /// missing from the report, and ``ItemReport/isComplete`` is false.
    ///
    /// - Parameter selection: the items.
    /// - Returns: The outcome for each item.
    /// - Throws: `KeychainItemError` if the items cannot be listed, for which one locked item is enough, and
    ///   ``ItemsLockedError``; nothing has changed then.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    @discardableResult
    public func run<Item: KeychainItem>(matching selection: ItemSelection<Item>) throws -> ItemReport<Outcome> {
        let (found, isComplete) = try list(selection)
        var report = try run(found.map(\.item))
        report.isComplete = isComplete
        return report
    }

    /// Does the same on a thread of its own; invalidating a given context ends a prompt.
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
