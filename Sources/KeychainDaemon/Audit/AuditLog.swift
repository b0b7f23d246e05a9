// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HostFiles
import KeychainAudit
import Synchronization

/// The audit log of a daemon: written on a thread of its own, so that no call waits for it.
///
/// Entries that cannot be written are lost, and the log says how many.
final class AuditLog: Sendable {
    private let folder: PrivateDirectory
    private let log: DaemonLog
    /// Overrides the settings file; `nil` to use the file.
    private let fixed: AuditSettings?
    private let mostBytes: Int
    private let mostWaiting: Int
    private let state: Mutex<State>
    private let reading = Mutex<FileContentsMark?>(nil)
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    private struct State {
        var settings: AuditSettings?
        var waiting: [AuditRecord] = []
        var lost = 0
        var hasThread = false
        var isClosed = false
    }

    /// The maximum number of pending records; further ones are lost.
    static let mostWaiting = 4096

    /// The timeout for the last records when the daemon stops.
    private static let closeSeconds = 5

    /// A log in the folder of a store.
    ///
    /// - Parameters:
    ///   - folder: the folder, which also contains the settings.
    ///   - fixed: overrides those settings; `nil` to use them.
    ///   - log: for a message that the file cannot be written.
    ///   - mostBytes: the maximum size of the file.
    ///   - mostWaiting: the maximum number of pending records.
    init(
        in folder: PrivateDirectory,
        fixed: AuditSettings? = nil,
        log: DaemonLog,
        mostBytes: Int = AuditFile.mostBytes,
        mostWaiting: Int = AuditLog.mostWaiting
    ) {
        self.folder = folder
        self.fixed = fixed
        self.log = log
        self.mostBytes = mostBytes
        self.mostWaiting = mostWaiting
        state = Mutex(State(settings: fixed))
        followSettings()
    }

    /// Reads the settings again if their file has changed.
    func followSettings() {
        guard fixed == nil else { return }
        // Calls do not wait for the file; other connections do, so that an older state never replaces a newer one.
        reading.withLock { lastMark in
            let mark = FileContentsMark(path: folder.path(of: AuditSettings.fileName))
            guard mark != lastMark else { return }
            let settings = mark.flatMap { _ in AuditSettings(in: folder) }
            lastMark = mark
            state.withLock { $0.settings = settings }
        }
    }

    /// What to log; `nil` for nothing.
    var settings: AuditSettings? { state.withLock(\.settings) }

    /// Queues a record.
    func note(_ record: AuditRecord) {
        enum Next {
            case nothing
            case wake
            case start
        }
        let next = state.withLock { state -> Next in
            guard !state.isClosed else { return .nothing }
            guard state.waiting.count < mostWaiting else {
                state.lost += 1
                return .nothing
            }
            state.waiting.append(record)
            if !state.hasThread {
                state.hasThread = true
                return .start
            }
            return state.waiting.count == 1 ? .wake : .nothing
        }
        switch next {
        case .nothing: return
        case .wake: wake.signal()
        case .start:
            guard !HostThread.start(.blocked, { [self] in write() }) else { return }
            state.withLock { state in
                state.hasThread = false
                state.lost += state.waiting.count
                state.waiting = []
            }
        }
    }

    /// Writes the pending records, and accepts no more.
    func close() {
        let hasThread = state.withLock { state in
            state.isClosed = true
            return state.hasThread
        }
        guard hasThread else { return }
        wake.signal()
        _ = ended.wait(timeout: .now() + .seconds(Self.closeSeconds))
    }

    private func write() {
        var file = AuditFile(in: folder, mostBytes: mostBytes)
        var isFailing = false
        while true {
            let (records, lost, isClosed) = state.withLock { state in
                defer { (state.waiting, state.lost) = ([], 0) }
                return (state.waiting, state.lost, state.isClosed)
            }
            var entries = records.map { AuditEntry.call($0) }[...]
            if lost > 0 { entries = [.lost(lost, .now)] + entries }
            do throws(FileError) {
                try file.append(&entries)
                if !records.isEmpty { isFailing = false }
            } catch {
                if !isFailing { log.write(.warning, "requests are not logged any more: \(error)") }
                isFailing = true
                state.withLock { $0.lost += entries.reduce(0) { $0 + $1.lossCount } }
            }
            if isClosed { break }
            // The first pending record wakes this thread, so one that was queued meanwhile has done so already.
            wake.wait()
        }
        ended.signal()
    }
}

extension AuditEntry {
    /// The number of entries that are lost with it.
    fileprivate var lossCount: Int {
        switch self {
        case .call: 1
        case .lost(let count, _): count
        }
    }
}
