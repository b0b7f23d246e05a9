// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainProtection
import Synchronization

/// The keychain of a store that is embedded, or owned by the user's daemon or the system service: each command goes to
/// the store's owner at that moment.
///
/// Commands on keychain files, which lie outside of the store, go to a daemon of their own.
///
/// When a store changes owner, transactions of the former owner fail with ``KeychainError/Kind/foreignOwner(_:)``
/// before anything is changed, and the command goes to the new owner. So no command is executed twice.
public final class RoutedKeychain: ObservableKeychain {
    /// The backend that executes commands.
    package enum Route: UInt8, Sendable, AtomicRepresentable {
        case embedded
        case daemon
        case system
    }

    private let embedded: any KeychainBackend
    private let daemon: any KeychainBackend
    private let system: any KeychainBackend
    private let files: any KeychainBackend
    private let checkOwner: @Sendable () throws(KeychainError) -> Bool
    // Not a lock: a child that is forked while another thread holds it would deadlock.
    private let current = Atomic<Route>(.embedded)
    private let observers: RouteObservers

    /// How many times a command follows the store at once; then it pauses before it does.
    private static let promptMoves = 2

    /// How long a command follows a store that keeps moving.
    private static let moveMilliseconds: Int32 = 5_000

    /// A router.
    ///
    /// - Parameters:
    ///   - embedded: opens the store in this process.
    ///   - daemon: reaches the user's daemon, which it may have to start.
    ///   - system: reaches the system service.
    ///   - files: serves keychain files.
    ///   - folder: the folder of the store, watched for a daemon while someone observes changes; `nil` for none.
    ///   - retryMilliseconds: the time between attempts to read the owner, or to observe, while that fails.
    ///   - checkOwner: whether there is a store that this process may open; throws as
    ///     ``EmbeddedKeychain/checkOwner()``.
    package init(
        embedded: any KeychainBackend,
        daemon: any KeychainBackend,
        system: any KeychainBackend,
        files: any KeychainBackend = UnavailableKeychain(reason: "nothing serves keychain files here"),
        folder: String? = nil,
        retryMilliseconds: Int = 30_000,
        checkOwner: @escaping @Sendable () throws(KeychainError) -> Bool
    ) {
        self.embedded = embedded
        self.daemon = daemon
        self.system = system
        self.files = files
        self.checkOwner = checkOwner
        observers = RouteObservers(
            [.daemon: daemon, .system: system],
            folder: folder,
            retryMilliseconds: retryMilliseconds
        )
        observers.setUp { [weak self] in self?.learnOwner() }
    }

    /// Notifies a program of other programs' changes while a daemon owns the store.
    public func observeChanges(
        as client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) -> ChangeObservation {
        observers.add(client, handler)
    }

    /// The current route, according to the store.
    package var route: Route {
        learnOwner()
        return current.load(ordering: .relaxed)
    }

    /// Whether a service has the store.
    public var unlocksForAll: Bool { route != .embedded }

    /// What an owner of the store serves, and keychain files.
    public var families: CommandFamily {
        [embedded, daemon, system, files].reduce([]) { $0.union($1.families) }
    }

    /// Executes a command through the owner of the store, or the daemon of keychain files.
    public func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        if command.row.family == .files { return try files.perform(command) }
        if command.has(.endsContext) { return try performOnKnownRoute(command) }
        var moves = 0
        var pauses: Deadline.Pauses?
        while true {
            var route = current.load(ordering: .relaxed)
            if route == .embedded, command.row.storeUse == .none {
                learnOwner()
                route = current.load(ordering: .relaxed)
            }
            do throws(KeychainError) {
                let reply = try backend(route).perform(command)
                if let failure = reply.foreignOwnerFailure { throw failure }
                return reply
            } catch {
                guard isMoved(by: error, from: route) else {
                    throw command.has(.locksDevice) ? lockError(error, route) : error
                }
                moves += 1
                guard moves > Self.promptMoves else { continue }
                // A daemon whose store was taken back may listen a moment longer.
                if pauses == nil { pauses = Deadline.Pauses(until: Deadline(milliseconds: Self.moveMilliseconds)) }
                guard pauses?.wait() == true else { throw error }
            }
        }
    }

    /// The failure of a lock; of a daemon that does not respond, once the lock mark was replaced, which it looks at
    /// before it uses a key.
    private func lockError(_ error: KeychainError, _ route: Route) -> KeychainError {
        guard route == .daemon, error.isSilence else { return error }
        do throws(KeychainError) { _ = try embedded.perform(.device(.lock)) } catch let refusal {
            guard refusal.foreignOwner == .daemon else { return error }
        }
        return .lockedInSilence(error.facts["path"] ?? "")
    }

    /// Updates the route from a failure.
    ///
    /// - Returns: Whether another route is to be tried.
    private func isMoved(by error: KeychainError, from route: Route) -> Bool {
        switch error.foreignOwner {
        case .daemon?: take(.daemon)
        case .system?: take(.system)
        case .embedded?: take(.embedded)
        case .moving?:
            // Until it has arrived; then the store tells where.
            learnOwner()
            return true
        case .some: return false
        case nil:
            // A daemon whose store was taken back has exited.
            guard route != .embedded, error.isUnavailable else { return false }
            learnOwner()
        }
        return current.load(ordering: .relaxed) != route
    }

    /// Reads the store's owner.
    ///
    /// Where there is no store, this process answers. An unknown owner is reported by the command itself.
    private func learnOwner() {
        do throws(KeychainError) {
            _ = try checkOwner()
            take(.embedded)
        } catch {
            switch error.foreignOwner {
            case .daemon?: take(.daemon)
            case .system?: take(.system)
            case .some: take(.embedded)
            case nil:
                // A busy or unreadable store does not say that its owner is another one.
                observers.follow(current.load(ordering: .relaxed))
                observers.lookLater()
            }
        }
    }

    private func take(_ route: Route) {
        current.store(route, ordering: .relaxed)
        observers.follow(route)
    }

    /// Ends a context in every keychain that may know it; no daemon is started for that.
    private func performOnKnownRoute(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        // It may have been named before the store changed hands.
        let reply = try embedded.perform(command)
        let route = current.load(ordering: .relaxed)
        return route == .embedded ? reply : try backend(route).perform(command)
    }

    private func backend(_ route: Route) -> any KeychainBackend {
        switch route {
        case .embedded: embedded
        case .daemon: daemon
        case .system: system
        }
    }
}

extension KeychainReply {
    /// The refusal of a store of another owner, which an explained call gives as its outcome.
    fileprivate var foreignOwnerFailure: KeychainError? {
        guard case .explained(let outcome) = self, case .failure(let error) = outcome.result,
            error.foreignOwner != nil
        else { return nil }
        return error
    }
}
