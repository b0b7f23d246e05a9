// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import Synchronization

/// The observers of other programs' changes in this process, which follow the store when it changes owner.
///
/// The daemon or system service notifies them. For an embedded store there are no notifications; its folder is only
/// watched for a change of owner.
///
/// Any thread that executes a command may read the owner, and act on it after another thread has read a newer one. So
/// each change of a subscription is followed by another check of the store, on a serial queue.
///
/// Sendable, because `lock` protects its variables.
final class RouteObservers: @unchecked Sendable {
    private struct Observer {
        let client: Client
        let handler: @Sendable (ChangeNotice) -> Void
        var observation: ChangeObservation?
        /// The owner being observed; `nil` before the first observation, and after one that could not start.
        var owner: StoreOwner?
        /// Whether the daemon may be at another socket by now.
        var isStale = false
    }

    private let backends: [StoreOwner: any KeychainBackend]
    private let folder: String?
    private let retryMilliseconds: Int
    /// Reads the store's owner, and calls ``resubscribe(to:)``; set once, before anything else is called.
    private var updateOwner: @Sendable () -> Void = {}
    private let lock = ForkSafeLock()
    private let isUsed = Atomic<Bool>(false)
    private let forkGeneration = keychain_fork_generation()
    private let queue = DispatchQueue(label: "swift-keychain.owner")
    // Only while the lock is held.
    private var observers: [UInt64: Observer] = [:]
    private var lastNumber: UInt64 = 0
    private var watch: ReadSource?
    private var isOwnerCheckPending = false

    /// Creates the observers of the store in a folder.
    ///
    /// - Parameters:
    ///   - backends: the backend of each owner; a daemon notifies of changes.
    ///   - folder: the store's folder; `nil` for none.
    ///   - retryMilliseconds: the time between attempts after a failure.
    init(_ backends: [StoreOwner: any KeychainBackend], folder: String?, retryMilliseconds: Int) {
        self.backends = backends
        self.folder = folder
        self.retryMilliseconds = retryMilliseconds
    }

    /// Sets how the store's owner is read; that calls ``resubscribe(to:)``.
    func setUp(updateOwner: @escaping @Sendable () -> Void) { self.updateOwner = updateOwner }

    /// Adds an observer.
    ///
    /// - Parameters:
    ///   - client: the program.
    ///   - handler: receives the notices.
    /// - Returns: An object that ends the observation when it is deallocated.
    func add(
        _ client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) -> ChangeObservation {
        // A forked child can use neither Dispatch nor a lock that another thread of its parent may have held.
        guard isUsable else { return ChangeObservation {} }
        let (number, isWatched) = locked {
            lastNumber += 1
            observers[lastNumber] = Observer(client: client, handler: handler)
            return (lastNumber, watch != nil)
        }
        isUsed.store(true, ordering: .relaxed)
        if !isWatched { watchAgain() }
        queue.async(execute: updateOwner)
        return ChangeObservation { [self] in remove(number) }
    }

    /// Subscribes the observers to the daemon that executes commands, and ends their subscription to another one.
    func resubscribe(to owner: StoreOwner) {
        guard isUsed.load(ordering: .relaxed), isUsable else { return }
        // Retained until the lock is released.
        var replaced: [Observer] = []
        // The latest changes may have been missed, and no new observation has reported that with its first notice.
        var unnotified: [UInt64] = []
        var (isChanged, hasFailed) = (false, false)
        locked {
            let backend = backends[owner] as? any NotifyingKeychain
            for (number, observer) in observers where observer.owner != owner || observer.isStale {
                replaced.append(observer)
                var new = Observer(client: observer.client, handler: observer.handler)
                do throws(KeychainError) {
                    new.observation = try backend?.observe(as: observer.client, observer.handler)
                    new.owner = owner
                    isChanged = true
                } catch {
                    hasFailed = true
                }
                observers[number] = new
                if observer.observation != nil, observer.owner != owner, new.observation == nil {
                    unnotified.append(number)
                }
            }
        }
        withExtendedLifetime(replaced) {}
        for number in unnotified {
            queue.async { [self] in locked { observers[number]?.handler }?(.unknown) }
        }
        if hasFailed { scheduleOwnerCheck() }
        if isChanged { queue.async(execute: updateOwner) }
    }

    /// Reads the owner again after a while, if someone observes changes then.
    func scheduleOwnerCheck() {
        guard isUsed.load(ordering: .relaxed), isUsable else { return }
        let isPending = locked {
            defer { isOwnerCheckPending = true }
            return isOwnerCheckPending
        }
        guard !isPending else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(retryMilliseconds)) { [weak self] in self?.recheckOwner() }
    }

    private func recheckOwner() {
        let (isObserved, isWatched) = locked {
            isOwnerCheckPending = false
            return (!observers.isEmpty, watch != nil)
        }
        guard isObserved else { return }
        // The daemon may have moved while the folder was not watched.
        if !isWatched, watchAgain() { distrustSockets() }
        updateOwner()
    }

    private var isUsable: Bool { forkGeneration == keychain_fork_generation() }

    private func remove(_ number: UInt64) {
        guard isUsable else { return }
        let (observer, watch) = locked { () -> (Observer?, ReadSource?) in
            let observer = observers.removeValue(forKey: number)
            return (observer, observers.isEmpty ? self.watch.take() : nil)
        }
        withExtendedLifetime((observer, watch)) {}
    }

    // MARK: The store's folder

    /// The files whose creation or removal follows a change of owner.
    private static let records: Set<String> = [DaemonRecord.fileName, ServiceRecord.fileName]

    /// Watches the folder of the store, or the nearest one above it while it does not exist.
    private func makeWatch() -> ReadSource? {
        guard let folder, isWatchable else { return nil }
        var path = folder
        var awaited = Self.records
        while true {
            do throws(FileError) {
                let watch = try FolderWatch(path, for: .names)
                // The missing folder may have been created since.
                if path == folder || !awaited.contains(where: { access("\(path)/\($0)", F_OK) == 0 }) {
                    return source(watch, awaited, isFinal: path == folder)
                }
                (path, awaited) = (folder, Self.records)
            } catch .system(_, _, ENOENT) {
                guard let name = path.pathNames.last else { return nil }
                awaited = [name]
                path = path.parentFolder
            } catch {
                return nil
            }
        }
    }

    private func source(
        _ watch: FolderWatch,
        _ awaited: Set<String>,
        isFinal: Bool
    ) -> ReadSource {
        ReadSource(watch.descriptor, of: watch, on: queue) { [weak self] in
            let names = watch.readChangedNames()
            if let names, names.isDisjoint(with: awaited) { return }
            guard let self else { return }
            let isOtherFolder = !isFinal || names == nil
            if isOtherFolder { watchAgain() }
            if isOtherFolder || names?.contains(ServiceRecord.fileName) == true { distrustSockets() }
            updateOwner()
        }
    }

    private var isWatchable: Bool { folder?.isAbsolutePath == true }

    /// Replaces the watch: a folder was created, or that of the store removed or renamed.
    ///
    /// Failures are retried later.
    ///
    /// - Returns: Whether there is a watch.
    @discardableResult
    private func watchAgain() -> Bool {
        let (old, isWatched) = locked { () -> (ReadSource?, Bool) in
            guard !observers.isEmpty else { return (nil, true) }
            let old = watch
            watch = makeWatch()
            return (old, watch != nil)
        }
        withExtendedLifetime(old) {}
        if !isWatched, isWatchable { scheduleOwnerCheck() }
        return isWatched
    }

    /// Has the next ``resubscribe(to:)`` subscribe again, because the record of the daemon's socket may have changed.
    private func distrustSockets() {
        locked {
            for (number, observer) in observers where observer.observation != nil { observers[number]?.isStale = true }
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        lock.acquire()
        defer { lock.release() }
        return body()
    }
}
