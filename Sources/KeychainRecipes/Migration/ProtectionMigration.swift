// SPDX-License-Identifier: Apache-2.0

public import Keychain
public import PortableLocalAuthentication

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
    public enum GuardedItems: String, Sendable, Hashable, CaseIterable {
        /// Leave them: a new accessibility replaces the access control, and nothing would require authentication any
        /// more.
        case leave
        /// Change them: their owner is asked, once for all of them where the device allows it.
        case replaceGuard
    }

    /// Changes items.
    ///
    /// - Parameters:
    ///   - items: the items.
    ///   - context: in which the owner is asked.
    /// - Returns: What became of each item, in their order.
    /// - Throws: ``ItemsLockedError``; nothing has changed then.
    @available(*, noasync, message: "it blocks the thread; await it")
    @discardableResult
    public func run(
        _ items: [any KeychainItem],
        askingIn context: LAContext = LAContext()
    ) throws(ItemsLockedError) -> ItemReport<Outcome> {
        let states = try ItemState.inspect(items, in: keychain)
        var report = ItemReport<Outcome>()
        for (item, state) in zip(items, states) { report.note(outcome(item, state, context), of: item) }
        return report
    }

    /// Does the same on a thread of its own; invalidating the context ends a prompt.
    @discardableResult
    public func run(
        _ items: [any KeychainItem],
        askingIn context: LAContext = LAContext()
    ) async throws(ItemsLockedError) -> ItemReport<Outcome> {
        let context = SharedContext(context)
        return try await waiting { () throws(ItemsLockedError) in try run(items, askingIn: context.value) }
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

    private func outcome(_ item: any KeychainItem, _ state: ItemState, _ context: LAContext) -> Outcome {
        switch state {
        case .absent: .absent
        case .failed(let error): .failed(error)
        case .readable(let attributes) where attributes.protection == protection: .alreadyProtected
        // A guard that lets this read through, of a simulator or of a key that asks when it is used, is a guard.
        case .readable(let attributes)
        where guardedItems == .leave && attributes.protection?.isGuarded == true
            && attributes.protection?.constraints.isEmpty == false:
            .leftGuarded
        case .readable: change(item, context)
        case .guarded: guardedItems == .leave ? .leftGuarded : changeGuarded(item, context)
        }
    }

    private func changeGuarded(_ item: any KeychainItem, _ context: LAContext) -> Outcome {
        do throws(KeychainItemError) {
            let attributes = try keychain.attributes(of: item, authentication: .context(context))
            return attributes?.protection == protection ? .alreadyProtected : change(item, context)
        } catch { return .failed(error) }
    }

    private func change(_ item: any KeychainItem, _ context: LAContext) -> Outcome {
        do throws(KeychainItemError) {
            let update = ItemUpdate(protection: protection)
            return try keychain.update(item, with: update, authentication: .context(context)) ? .changed : .absent
        } catch { return .failed(error) }
    }
}

extension ProtectionMigration {
    /// Changes every item of a selection.
    ///
    /// - Parameters:
    ///   - selection: which items.
    ///   - context: in which the owner is asked; items that ask for it are asked about when they are listed already.
    /// - Returns: What became of each item.
    /// - Throws: `KeychainItemError` when the items cannot be listed, which one locked item is enough for, and
    ///   ``ItemsLockedError``; nothing has changed then.
    @available(*, noasync, message: "it blocks the thread; await it")
    @discardableResult
    public func run<Item: KeychainItem>(
        matching selection: ItemSelection<Item>,
        askingIn context: LAContext = LAContext()
    ) throws -> ItemReport<Outcome> {
        let found = try keychain.items(matching: selection, authentication: .context(context))
        return try run(found.map(\.item), askingIn: context)
    }
    /// Does the same on a thread of its own; invalidating the context ends a prompt.
    @discardableResult
    public func run<Item: KeychainItem>(
        matching selection: ItemSelection<Item>,
        askingIn context: LAContext = LAContext()
    ) async throws -> ItemReport<Outcome> {
        let context = SharedContext(context)
        return try await waiting { try run(matching: selection, askingIn: context.value) }
    }
}
