// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainHost
import Synchronization

/// Observes the folders of keychain files, and that of the preferences about them, on a thread of its own.
final class FolderObservation: Sendable {
    private let folders: @Sendable () -> Set<String>
    private let changed: @Sendable () -> Void
    private let wake = keychain_event()
    private let isStopping = Atomic(false)
    private let thread = DispatchGroup()

    /// - Parameters:
    ///   - folders: those to watch, which need not exist; read again after a change.
    ///   - changed: called on the thread after a change, and must not wait.
    init(of folders: @escaping @Sendable () -> Set<String>, _ changed: @escaping @Sendable () -> Void) {
        self.folders = folders
        self.changed = changed
    }

    deinit { if wake >= 0 { close(wake) } }

    /// Begins; without a thread or a descriptor nothing is observed.
    func start() {
        guard wake >= 0 else { return }
        thread.enter()
        let isStarted = HostThread.start(.blocked) { [self] in
            while !isStopping.load(ordering: .sequentiallyConsistent) { observe() }
            thread.leave()
        }
        if !isStarted { thread.leave() }
    }

    /// Ends it, and waits for that.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        var one: UInt64 = 1
        if wake >= 0 { _ = write(wake, &one, MemoryLayout<UInt64>.size) }
        thread.wait()
    }

    /// Waits for a change of the folders as they are now.
    private func observe() {
        let watched = Set(folders().map(Self.existing))
        let watches = watched.compactMap { try? FolderWatch($0, for: .names) }
        // One may have been made meanwhile.
        guard Set(folders().map(Self.existing)) == watched else { return }
        // What has changed before the folders were watched.
        changed()
        var descriptors = (watches.map(\.descriptor) + [wake]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
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
