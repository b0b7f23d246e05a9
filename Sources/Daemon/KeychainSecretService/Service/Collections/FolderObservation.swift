// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainHost
import Synchronization

/// Observes the folders of keychain files, and that of the preferences about them, on a thread of its own.
final class FolderObservation: Sendable {
    private let folders: @Sendable () -> Set<String>
    private let changed: @Sendable () -> Void
    private let wakeUp = WakeUp()
    private let isStopping = Atomic(false)
    private let thread = DispatchGroup()

    /// - Parameters:
    ///   - folders: those to watch, which need not exist; read again after a change.
    ///   - changed: called on the thread after a change, and must not wait.
    init(of folders: @escaping @Sendable () -> Set<String>, _ changed: @escaping @Sendable () -> Void) {
        self.folders = folders
        self.changed = changed
    }

    /// Begins; without a thread or a descriptor nothing is observed.
    func start() {
        guard let wakeUp else { return }
        thread.enter()
        let isStarted = HostThread.start(.blocked) { [self] in
            while !isStopping.load(ordering: .sequentiallyConsistent) { observe(until: wakeUp) }
            thread.leave()
        }
        if !isStarted { thread.leave() }
    }

    /// Ends it, and waits for that.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        wakeUp?.signal()
        thread.wait()
    }

    /// Waits for a change of the folders as they are now.
    private func observe(until wakeUp: WakeUp) {
        let watched = Set(folders().map(Self.existing))
        let watches = watched.compactMap { try? FolderWatch($0, for: .names) }
        // One may have been made meanwhile.
        guard Set(folders().map(Self.existing)) == watched else { return }
        // What has changed before the folders were watched.
        changed()
        var descriptors = (watches.map(\.descriptor) + [wakeUp.descriptor]).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // Without watches, it is tried again later.
        _ = poll(&descriptors, nfds_t(descriptors.count), watches.isEmpty ? Self.retryMilliseconds : -1)
    }

    private static let retryMilliseconds: Int32 = 60_000

    /// A folder, or the closest one above it that exists.
    private static func existing(_ folder: String) -> String {
        var folder = folder
        while access(folder, F_OK) != 0, folder != "/" { folder = folder.parentFolder }
        return folder
    }
}
