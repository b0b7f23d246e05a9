// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Keychain

/// Moves a secret into the keychain from where it should not have been: user defaults, a property list, a file.
///
/// ```swift
/// let migration = SecretMigration(
///     from: UserDefaultsSecret(key: "token"),
///     to: GenericPassword(service: "com.example.app", account: "token"),
///     protection: .accessible(.afterFirstUnlockThisDeviceOnly),
///     in: SystemKeychain()
/// )
/// try migration.run()
/// ```
///
/// The steps are in an order in which the secret is whole in at least one of the two places at any moment: look in the
/// keychain, read the old copy, store, read back and compare, only then remove the old copy, and look that it is gone.
/// Whatever ends the program in between, the next run finishes, and a run that has nothing to do changes nothing: run
/// it at each start.
///
/// An item that is there before is given the protection that was asked for, or the old copy stays. A locked keychain is
/// refused, and nothing is changed. That the keychain has the item and cannot give it now is never taken for its
/// absence.
///
/// A run prompts nobody unless it is given an authentication that may, and then only where there is an old copy.
///
/// Only the migration should use the old place. A program that writes there meanwhile is noticed until the moment
/// before the removal; no file system can do better.
public struct SecretMigration: Sendable {
    private let source: any SecretSource
    private let item: GenericPassword
    private let protection: Protection
    private let keychain: any KeychainProtocol
    private let conflictPolicy: ConflictPolicy

    /// A migration.
    ///
    /// - Parameters:
    ///   - source: where the secret is now.
    ///   - item: the item that is to hold it.
    ///   - protection: what protects the item, also one that is there before. Under one that requires authentication
    ///     the secret cannot be read back without, so `run(authentication:)` needs an authentication that may prompt;
    ///     for an item that is there already it prompts more than once.
    ///   - keychain: the keychain.
    ///   - conflictPolicy: what to do when the item holds another secret already.
    public init(
        from source: any SecretSource,
        to item: GenericPassword,
        protection: Protection,
        in keychain: any KeychainProtocol,
        onConflict conflictPolicy: ConflictPolicy = .stop
    ) {
        self.source = source
        self.item = item
        self.protection = protection
        self.keychain = keychain
        self.conflictPolicy = conflictPolicy
    }

    /// What to do when the keychain holds another secret than the old place.
    public enum ConflictPolicy: String, Sendable, Hashable, CaseIterable {
        /// Change nothing, and fail with ``MigrationError/Reason/conflict``.
        case stop
        /// Keep what the keychain holds, and remove the old copy: the old secret is lost.
        case keepKeychain
        /// Replace what the keychain holds by the old copy: the keychain's secret is lost.
        case replaceKeychain
    }

    /// What a run found and did.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// There was no secret in either place.
        case nothingToMigrate
        /// The secret was in the keychain only.
        case alreadyMigrated
        /// The secret was moved.
        case migrated
        /// Both places held the same secret, as after a run that was interrupted; the old copy was removed.
        case finishedEarlierRun
        /// Both held different ones; the keychain's was kept, and the old one removed.
        case keptKeychain
        /// Both held different ones; the old one was moved over the keychain's.
        case replacedKeychain
    }

    /// Moves the secret.
    ///
    /// - Parameter authentication: whether and how the user may be prompted where the item requires authentication;
    ///   never, unless it is given. `Authentication.context(_:)` prompts once where the device allows it.
    /// - Returns: What was done.
    /// - Throws: ``MigrationError``, with ``MigrationError/Reason/authenticationRequired`` where the secret cannot be
    ///   moved without a prompt. The old copy is there still, except where only looking for it after its removal
    ///   failed.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    @discardableResult
    public func run(authentication: Authentication = .forbidden) throws(MigrationError) -> Outcome {
        // First, because a locked keychain must be noticed before anything is concluded from the old place.
        let isThere = try isStored()
        guard let secret = try readSource() else { return isThere ? .alreadyMigrated : .nothingToMigrate }
        // What is stored without a prompt and cannot be read back without one would lie in both places for ever.
        if authentication.isForbidden, protection.isGuarded, !protection.constraints.isEmpty {
            throw error(.look, .authenticationRequired)
        }
        let kept = isThere ? try read(.look, authentication) : nil
        let outcome = try store(secret, over: kept, authentication)
        switch outcome {
        // What was there before counts as the new place only when it is protected as one.
        case .keptKeychain: _ = try protect(authentication)
        case .finishedEarlierRun:
            if try protect(authentication) { try verify(secret, authentication) }
        default: try verify(secret, authentication)
        }
        try remove(secret)
        return outcome
    }

    /// Does the same on a thread of its own.
    @discardableResult
    public func run(authentication: Authentication = .forbidden) async throws(MigrationError) -> Outcome {
        try await waiting { () throws(MigrationError) in try run(authentication: authentication) }
    }

    private func store(
        _ secret: Data,
        over kept: Data?,
        _ authentication: Authentication
    ) throws(MigrationError) -> Outcome {
        switch (kept, conflictPolicy) {
        case (nil, _):
            return try add(secret, authentication)
        case (secret, _):
            return .finishedEarlierRun
        case (_, .stop):
            throw error(.look, .conflict)
        case (_, .keepKeychain):
            return .keptKeychain
        case (_, .replaceKeychain):
            do throws(KeychainItemError) {
                try keychain.set(
                    .data(secret),
                    for: item,
                    protection: protection,
                    details: .none,
                    authentication: authentication
                )
            } catch { throw self.error(.store, error) }
            return .replacedKeychain
        }
    }

    private func add(_ secret: Data, _ authentication: Authentication) throws(MigrationError) -> Outcome {
        do throws(KeychainItemError) {
            // Not `set`: an item that somebody else stored a moment ago must not be overwritten.
            try keychain.add(
                .data(secret),
                for: item,
                protection: protection,
                details: .none,
                authentication: authentication
            )
            return .migrated
        } catch { guard error.isDuplicate else { throw self.error(.store, error) } }
        guard let kept = try read(.look, authentication) else { throw error(.store, .notVerified) }
        return try store(secret, over: kept, authentication)
    }

    private func verify(_ secret: Data, _ authentication: Authentication) throws(MigrationError) {
        guard try read(.verify, authentication) == secret else { throw error(.verify, .notVerified) }
    }

    /// Gives the item that was there before the protection that was asked for; says whether it had another one.
    private func protect(_ authentication: Authentication) throws(MigrationError) -> Bool {
        do throws(KeychainItemError) {
            let kept = try keychain.attributes(of: item, authentication: authentication)?.protection
            if kept == protection { return false }
            let update = ItemUpdate(protection: protection)
            if try keychain.update(item, with: update, authentication: authentication) { return true }
        } catch { throw self.error(.store, error) }
        throw error(.store, .notVerified)
    }

    private func remove(_ secret: Data) throws(MigrationError) {
        do throws(SecretSourceError) {
            try source.remove(secret)
            guard try source.read() == nil else { throw SecretSourceError(.notRemoved, source: source.name) }
        } catch { throw self.error(.remove, .source, error) }
    }

    private func readSource() throws(MigrationError) -> Data? {
        do throws(SecretSourceError) { return try source.read() } catch {
            throw self.error(.readSource, .source, error)
        }
    }

    /// Whether the keychain has the item, found out without a prompt.
    private func isStored() throws(MigrationError) -> Bool {
        do throws(KeychainItemError) {
            return try keychain.contents(of: item, authentication: .forbidden) != nil
        } catch {
            guard error.needsAuthentication else { throw self.error(.look, error) }
            return true
        }
    }

    private func read(_ step: MigrationError.Step, _ authentication: Authentication) throws(MigrationError) -> Data? {
        do throws(KeychainItemError) {
            guard let contents = try keychain.contents(of: item, authentication: authentication) else { return nil }
            // A password holds data and nothing else.
            guard case .data(let data) = contents else { return Data() }
            return data
        } catch { throw self.error(step, error) }
    }

    private func error(_ step: MigrationError.Step, _ cause: KeychainItemError) -> MigrationError {
        error(step, cause.isLocked ? .locked : cause.needsAuthentication ? .authenticationRequired : .keychain, cause)
    }

    private func error(
        _ step: MigrationError.Step,
        _ reason: MigrationError.Reason,
        _ cause: (any Error)? = nil
    ) -> MigrationError {
        MigrationError(step: step, reason: reason, source: source.name, item: item, cause: cause)
    }
}
