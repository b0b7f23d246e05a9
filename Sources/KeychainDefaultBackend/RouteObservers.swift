// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import HostFiles
import KeychainClient
import KeychainCore
import KeychainEngine
import Synchronization

/// The observers of other programs' changes in this process, which follow the store when it changes owner.
///
/// The daemon or system service notifies them. An embedded store notifies nobody; its folder is only watched for a
/// change of owner.
final class RouteObservers: @unchecked Sendable {
    private struct Observer {
        let client: Client
        let handler: @Sendable (ChangeNotice) -> Void
        var observation: ChangeObservation?
        /// What the observation is of.
        var route: RoutedKeychain.Route?
    }

    private let backends: [RoutedKeychain.Route: any KeychainBackend]
    private let folder: String?
    private let lock = ForkSafeLock()
    private let isUsed = Atomic<Bool>(false)
    private let forkGeneration = keychain_fork_generation()
    private let queue = DispatchQueue(label: "swift-keychain.owner")
    // Only while the lock is held.
    private var observers: [UInt64: Observer] = [:]
    private var lastNumber: UInt64 = 0
    private var watch: ReadSource?

    /// Observers of the store in a folder.
    ///
    /// - Parameters:
    ///   - backends: the daemons that may own the store.
    ///   - folder: its folder; `nil` for none.
    init(_ backends: [RoutedKeychain.Route: any KeychainBackend], folder: String?) {
        self.backends = backends
        self.folder = folder
    }

    /// Adds an observer.
    ///
    /// - Parameters:
    ///   - client: the program.
    ///   - handler: receives the notices.
    ///   - learnOwner: reads the store's owner, and calls ``follow(_:)``.
    /// - Returns: Ends the observation when it is deallocated.
    func add(
        _ client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void,
        learnOwner: @escaping @Sendable () -> Void
    ) -> ChangeObservation {
        // A forked child can use neither Dispatch nor a lock that another thread of its parent may have held.
        guard isUsable else { return ChangeObservation {} }
        let number = locked {
            lastNumber += 1
            observers[lastNumber] = Observer(client: client, handler: handler)
            if watch == nil { watch = makeWatch(learnOwner) }
            return lastNumber
        }
        isUsed.store(true, ordering: .relaxed)
        queue.async(execute: learnOwner)
        return ChangeObservation { [self] in remove(number) }
    }

    /// Subscribes the observers to the daemon that executes commands, and ends their subscription to another one.
    func follow(_ route: RoutedKeychain.Route) {
        guard isUsed.load(ordering: .relaxed), isUsable else { return }
        var ended: [Observer] = []
        locked {
            let backend = backends[route] as? any ObservableKeychain
            for (number, observer) in observers where observer.route != route {
                if observer.observation != nil { ended.append(observer) }
                observers[number]?.observation = backend?.observeChanges(as: observer.client, observer.handler)
                observers[number]?.route = route
            }
        }
        // The last changes may have been missed.
        for observer in ended { queue.async { observer.handler(.unknown) } }
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

    /// The files of which a new one, or the absence, follows a change of owner.
    private static let records: Set<String> = [DaemonRecord.fileName, ServiceRecord.fileName]

    /// Watches the folder of the store, or the nearest one above it while it does not exist.
    private func makeWatch(_ learnOwner: @escaping @Sendable () -> Void) -> ReadSource? {
        guard let folder, folder.hasPrefix("/") else { return nil }
        var path = folder
        var awaited = Self.records
        while true {
            do throws(FileError) {
                let watch = try FolderWatch(path, for: .names)
                // The missing folder may have been created since.
                if path == folder || !awaited.contains(where: { access("\(path)/\($0)", F_OK) == 0 }) {
                    return source(watch, awaited, isFinal: path == folder, learnOwner)
                }
                (path, awaited) = (folder, Self.records)
            } catch .system(_, _, ENOENT) {
                guard let slash = path.lastIndex(of: "/"), path != "/" else { return nil }
                awaited = [String(path[path.index(after: slash)...])]
                path = slash == path.startIndex ? "/" : String(path[..<slash])
            } catch {
                return nil
            }
        }
    }

    private func source(
        _ watch: FolderWatch,
        _ awaited: Set<String>,
        isFinal: Bool,
        _ learnOwner: @escaping @Sendable () -> Void
    ) -> ReadSource {
        ReadSource(watch.descriptor, of: watch, on: queue) { [weak self] in
            let names = watch.takeNames()
            if let names, names.isDisjoint(with: awaited) { return }
            if !isFinal || names == nil { self?.watchAgain(learnOwner) }
            learnOwner()
        }
    }

    /// Replaces the watch: a folder was created, or that of the store removed.
    private func watchAgain(_ learnOwner: @escaping @Sendable () -> Void) {
        let old = locked { () -> ReadSource? in
            guard watch != nil else { return nil }
            let old = watch
            watch = makeWatch(learnOwner)
            return old
        }
        withExtendedLifetime(old) {}
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        lock.acquire()
        defer { lock.release() }
        return body()
    }
}
