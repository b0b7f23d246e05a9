// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Keychain

/// Moves a secret into the keychain from an insecure place: user defaults, a property list, a file.
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
/// The order of the steps ensures that at any time the complete secret is in at least one of the two places: look in
/// the keychain, read the old copy, store, read back and compare, only then remove the old copy, and check that it is
/// gone. If the program exits at any point, the next run completes the migration, and a run without anything to do
/// changes nothing: run it at each start.
///
/// An existing item gets the requested protection, or the old copy stays. A locked keychain is refused, and nothing is
/// changed. An item that exists but cannot be read at the moment is never treated as absent.
///
/// A run never prompts unless its authentication allows that, and then only if there is an old copy.
///
/// Only the migration should use the old place. A program that writes there meanwhile is detected until immediately
/// before the removal; no file system can do better.
public struct SecretMigration: Sendable {
    private let source: any SecretSource
    private let item: GenericPassword
    private let protection: Protection
    private let keychain: any KeychainProtocol
    private let conflictPolicy: ConflictPolicy

    /// Creates a migration.
    ///
    /// - Parameters:
    ///   - source: the current place of the secret.
    ///   - item: the item for the secret.
    ///   - protection: the protection of the item, also of an existing one. If it requires authentication, the secret
    ///     cannot be read back without, so `run(authentication:)` needs an authentication that may prompt; for an
    ///     existing item it prompts more than once.
    ///   - keychain: the keychain.
    ///   - conflictPolicy: what to do if the item already has another secret.
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

    /// What to do if the keychain has another secret than the old place.
    public enum ConflictPolicy: String, Sendable, Hashable, CaseIterable {
        /// Change nothing, and fail with ``MigrationError/Reason/conflict``.
        case stop
        /// Keep the keychain's secret, and remove the old copy: the old secret is lost.
        case keepKeychain
        /// Replace the keychain's secret by the old copy: the keychain's secret is lost.
        case replaceKeychain
    }

    /// The outcome of a run.
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
    /// - Parameter authentication: whether and how the user may be prompted if the item requires authentication; never,
    ///   unless it is given. `Authentication.context(_:)` prompts once if the device allows it.
    /// - Returns: What was done.
    /// - Throws: ``MigrationError``, with ``MigrationError/Reason/authenticationRequired`` if the secret cannot be
    ///   moved without a prompt. The old copy still exists, unless only the check after its removal failed.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    @discardableResult
    public func run(authentication: Authentication = .forbidden) throws(MigrationError) -> Outcome {
        // First, because a locked keychain must be noticed before anything is concluded from the old place.
        let isThere = try isStored()
        guard let secret = try readSource() else { return isThere ? .alreadyMigrated : .nothingToMigrate }
        // A secret that is stored without a prompt but cannot be read back without one would stay in both places
        // forever.
        if authentication.isForbidden, protection.isGuarded, !protection.constraints.isEmpty {
            throw error(at: .look, reason: .authenticationRequired)
        }
        let kept = isThere ? try read(.look, authentication) : nil
        let outcome = try store(secret, over: kept, authentication)
        switch outcome {
        // An existing item counts as the new place only if it has the new protection.
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
            throw error(at: .look, reason: .conflict)
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
            // Not `set`: an item that another process has just stored must not be overwritten.
            try keychain.add(
                .data(secret),
                for: item,
                protection: protection,
                details: .none,
                authentication: authentication
            )
            return .migrated
        } catch { guard error.isDuplicate else { throw self.error(.store, error) } }
        guard let kept = try read(.look, authentication) else { throw error(at: .store, reason: .notVerified) }
        return try store(secret, over: kept, authentication)
    }

    private func verify(_ secret: Data, _ authentication: Authentication) throws(MigrationError) {
        guard try read(.verify, authentication) == secret else { throw error(at: .verify, reason: .notVerified) }
    }

    /// Gives an existing item the requested protection; returns whether it had another one.
    private func protect(_ authentication: Authentication) throws(MigrationError) -> Bool {
        do throws(KeychainItemError) {
            let kept = try keychain.attributes(of: item, authentication: authentication)?.protection
            if kept == protection { return false }
            let update = ItemUpdate(protection: protection)
            if try keychain.update(item, with: update, authentication: authentication) { return true }
        } catch { throw self.error(.store, error) }
        throw error(at: .store, reason: .notVerified)
    }

    private func remove(_ secret: Data) throws(MigrationError) {
        do throws(SecretSourceError) {
            try source.remove(secret)
            guard try source.read() == nil else { throw SecretSourceError(.notRemoved, source: source.name) }
        } catch { throw self.error(at: .remove, reason: .source, cause: error) }
    }

    private func readSource() throws(MigrationError) -> Data? {
        do throws(SecretSourceError) { return try source.read() } catch {
            throw self.error(at: .readSource, reason: .source, cause: error)
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
            // A password contains only data.
            guard case .data(let data) = contents else { return Data() }
            return data
        } catch { throw self.error(step, error) }
    }

    private func error(_ step: MigrationError.Step, _ cause: KeychainItemError) -> MigrationError {
        error(
            at: step,
            reason: cause.isLocked ? .locked : cause.needsAuthentication ? .authenticationRequired : .keychain,
            cause: cause
        )
    }

    private func error(
        at step: MigrationError.Step,
        reason: MigrationError.Reason,
        cause: (any Error)? = nil
    ) -> MigrationError {
        MigrationError(step: step, reason: reason, source: source.name, item: item, cause: cause)
    }
}
