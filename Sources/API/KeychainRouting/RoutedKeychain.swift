// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import Synchronization

/// The keychain of a store whose owner may change: each command goes to the current owner.
///
/// The owners are a list: the programs themselves, the user's daemon, the system service. Commands on keychain files,
/// which are outside the store, go to a daemon of their own.
///
/// When a store changes owner, transactions of the former owner fail with ``KeychainError/Kind/foreignOwner(_:)``
/// before anything is changed, and the command goes to the new owner. So no command is executed twice.
///
/// The store records its owner. A program whose first command finds a daemon that serves the store does not consult it:
/// the daemon has opened it as its owner, and checks again in each transaction. Neither does a program with a record
/// that the store belongs to the system service, if the store has not changed since: the service refuses a keychain
/// that it gave back.
package final class RoutedKeychain: ObservableKeychain {
    /// The backend of each owner.
    private let backends: [StoreOwner: any KeychainBackend]
    private let files: any KeychainBackend
    private let findServing: @Sendable (_ canStart: Bool) -> StoreOwner?
    private let checkOwner: @Sendable () throws(KeychainError) -> Bool
    /// The number of the last known owner.
    ///
    /// Not a lock: a child that is forked while another thread holds it would deadlock.
    private let current = Atomic<UInt8>(RoutedKeychain.noOwner)
    private let observers: RouteObservers

    /// No owner was looked for yet.
    private static let noOwner: UInt8 = 0

    /// The number of times a command follows the store immediately; after that it pauses first.
    private static let promptMoves = 2

    /// How long a command follows a store that keeps moving.
    private static let moveMilliseconds: Int32 = 5_000

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - owners: the possible owners of the store, and their backends; including that of ``StoreOwner/embedded``,
    ///     which opens the store in this process.
    ///   - files: the backend for keychain files.
    ///   - folder: the folder of the store, watched for a daemon while changes are observed; `nil` for none.
    ///   - retryMilliseconds: the time between attempts to read the owner, or to observe, while that fails.
    ///   - findServing: the owner that currently serves the store, if that is known without consulting the store; for a
    ///     program that cannot read the store, one that has to be started first.
    ///   - checkOwner: whether there is a store that this process may open; throws like
    ///     ``EmbeddedKeychain/checkOwner()``.
    package init(
        _ owners: [(owner: StoreOwner, backend: any KeychainBackend)],
        files: any KeychainBackend = UnavailableKeychain(reason: "nothing serves keychain files here"),
        folder: String? = nil,
        retryMilliseconds: Int = 30_000,
        findServing: @escaping @Sendable (_ canStart: Bool) -> StoreOwner? = { _ in nil },
        checkOwner: @escaping @Sendable () throws(KeychainError) -> Bool
    ) {
        backends = Dictionary(owners.map { ($0.owner, $0.backend) }) { first, _ in first }
        self.files = files
        self.findServing = findServing
        self.checkOwner = checkOwner
        observers = RouteObservers(backends, folder: folder, retryMilliseconds: retryMilliseconds)
        observers.setUp { [weak self] in self?.updateOwner() }
    }

    /// Notifies a program of other programs' changes while a daemon owns the store.
    package func observeChanges(
        as client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) -> ChangeObservation {
        observers.add(client, handler)
    }

    /// The owner of the store, according to the store.
    package var owner: StoreOwner {
        updateOwner()
        return known
    }

    /// Whether a service has the store.
    package var unlocksForAll: Bool { (findServing(false) ?? owner) != .embedded }

    /// The commands that any owner of the store serves, and those on keychain files.
    package var families: CommandFamily { backends.values.reduce(files.families) { $0.union($1.families) } }

    /// Executes a command through the owner of the store, or the daemon of keychain files.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let row = command.row
        if row.family == .files { return try files.perform(command) }
        if row.traits.contains(.endsContext) { return try performOnKnownRoute(command) }
        if current.load(ordering: .relaxed) == Self.noOwner { setOwner(findServing(false) ?? .embedded) }
        var moves = 0
        var pauses: Deadline.Pauses?
        while true {
            if row.storeUse == .none, known == .embedded { updateOwner() }
            let owner = known
            do throws(KeychainError) {
                let reply = try backend(owner).perform(command)
                if let failure = reply.foreignOwnerFailure { throw failure }
                return reply
            } catch {
                guard isMoved(by: error, from: owner) else {
                    throw row.traits.contains(.locksDevice) ? lockError(error, owner) : error
                }
                moves += 1
                guard moves > Self.promptMoves else { continue }
                // A daemon whose store was taken back may listen a little longer.
                if pauses == nil { pauses = Deadline.Pauses(until: Deadline(milliseconds: Self.moveMilliseconds)) }
                guard pauses?.wait() == true else { throw error }
            }
        }
    }

    /// The owner that was found last; before, the one whose keychain finds out.
    private var known: StoreOwner {
        let number = current.load(ordering: .relaxed)
        return number == Self.noOwner ? .embedded : StoreOwner(rawValue: number)
    }

    /// The failure of a lock; that of a daemon that does not respond, cannot be reached or used, or runs in a sandbox
    /// that this program is not in, once the lock mark was replaced, which the daemon checks before it uses a key.
    ///
    /// Whoever can replace the mark could remove the keychain, so a real sandbox gains nothing.
    private func lockError(_ error: KeychainError, _ owner: StoreOwner) -> KeychainError {
        let isOutOfReach = error.isSilence || error.kind == .unavailable || error.hasForeignListener
        guard owner == .daemon, isOutOfReach || error.isAboutSandbox else { return error }
        do throws(KeychainError) { _ = try backend(.embedded).perform(.device(.lock)) } catch let refusal {
            guard refusal.foreignOwner == .daemon else { return error }
        }
        return .lockedWithoutDaemon(after: error)
    }

    /// Updates the owner from a failure.
    ///
    /// - Returns: Whether another one is to be tried.
    private func isMoved(by error: KeychainError, from owner: StoreOwner) -> Bool {
        switch error.kind {
        case .foreignOwner(.moving), .service(.moved):
            // Until it has arrived; then the store records where it is.
            updateOwner()
            return true
        case .foreignOwner(let other):
            guard backends[other] != nil else { return false }
            setOwner(other)
        case .storage(.libraryTooOld), .storage(.readOnly), .storage(.file):
            // A program that cannot open the store cannot find whose it is; its daemon can.
            guard owner == .embedded, let serving = findServing(true) else { return false }
            setOwner(serving)
        default:
            // A daemon whose store was taken back has exited.
            guard owner != .embedded, error.isUnavailable else { return false }
            updateOwner()
        }
        return known != owner
    }

    /// Reads the store's owner.
    ///
    /// If there is no store, this process handles the command. The command itself reports an unknown owner.
    private func updateOwner() {
        do throws(KeychainError) {
            _ = try checkOwner()
            setOwner(.embedded)
        } catch {
            guard let owner = error.foreignOwner else {
                // A busy or unreadable store does not mean that the owner has changed.
                observers.resubscribe(to: known)
                return observers.scheduleOwnerCheck()
            }
            setOwner(backends[owner] == nil ? .embedded : owner)
        }
    }

    private func setOwner(_ owner: StoreOwner) {
        current.store(owner.rawValue, ordering: .relaxed)
        observers.resubscribe(to: owner)
    }

    /// Ends a context in every keychain that may know it; no daemon is started for that.
    private func performOnKnownRoute(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        // It may have been named before the store changed hands.
        let reply = try backend(.embedded).perform(command)
        return known == .embedded ? reply : try backend(known).perform(command)
    }

    private func backend(_ owner: StoreOwner) -> any KeychainBackend {
        backends[owner] ?? UnavailableKeychain(reason: "nothing serves a store of the owner '\(owner.name)'")
    }
}

extension KeychainReply {
    /// The refusal by a store with another owner, which an explained call returns as its outcome.
    fileprivate var foreignOwnerFailure: KeychainError? {
        guard case .explained(let outcome) = self, case .failure(let error) = outcome.result,
            error.foreignOwner != nil
        else { return nil }
        return error
    }
}
