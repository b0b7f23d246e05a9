// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainAudit
import KeychainCore
import KeychainEngine
import KeychainHost
import Synchronization

/// The audit log of a daemon: written on a thread of its own, so that no call waits for it.
///
/// Entries that cannot be written are lost, and the log records their number. The thread ends when there has been
/// nothing to write for a while.
final class AuditLog: Sendable {
    private let folder: PrivateDirectory
    private let log: DaemonLog
    /// Overrides the settings file; `nil` to use the file.
    private let fixed: AuditSettings?
    private let maximumBytes: Int
    private let state: Mutex<State>
    private let reading = Mutex<FileContentsMark?>(nil)
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    private struct State {
        var settings: AuditSettings?
        var waiting: AuditQueue
        /// The number of the last entry that was written.
        var lastNumber: Int?
        var hasThread = false
        var isClosed = false
    }

    /// The maximum number of pending records; further ones are lost.
    static let maximumWaitingRecords = 4096

    /// The timeout for the last records when the daemon stops.
    static let closeSeconds = 5

    /// After how long without a record the thread ends.
    private static let idleSeconds = 60

    /// Creates a log in the folder of a store.
    ///
    /// - Parameters:
    ///   - folder: the folder, which also contains the settings.
    ///   - fixed: overrides those settings; `nil` to use them.
    ///   - log: receives a message if the file cannot be written.
    ///   - maximumBytes: the maximum size of the file.
    ///   - maximumWaitingRecords: the maximum number of pending records.
    init(
        in folder: PrivateDirectory,
        fixed: AuditSettings? = nil,
        log: DaemonLog,
        maximumBytes: Int = AuditFile.maximumBytes,
        maximumWaitingRecords: Int = AuditLog.maximumWaitingRecords
    ) {
        self.folder = folder
        self.fixed = fixed
        self.log = log
        self.maximumBytes = maximumBytes
        state = Mutex(State(settings: fixed, waiting: AuditQueue(atMost: maximumWaitingRecords)))
        reloadSettings()
    }

    /// Reads the settings again if their file has changed.
    func reloadSettings() {
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

    /// The settings; `nil` to log nothing.
    var settings: AuditSettings? { state.withLock(\.settings) }

    /// Queues a record.
    func record(_ record: AuditRecord) {
        enum Next {
            case nothing
            case wake
            case start
        }
        let next = state.withLock { state -> Next in
            guard !state.isClosed, state.waiting.add(record) else { return .nothing }
            if !state.hasThread {
                state.hasThread = true
                return .start
            }
            return state.waiting.records.count == 1 ? .wake : .nothing
        }
        switch next {
        case .nothing: return
        case .wake: wake.signal()
        case .start:
            guard !HostThread.start(.blocked, { [self] in write() }) else { return }
            state.withLock { state in
                state.hasThread = false
                let (records, lost) = state.waiting.takeAll()
                state.waiting.lost = lost + records.count
            }
        }
    }

    /// Whether nothing was written after the entry of a number.
    func ends(at number: Int) -> Bool { state.withLock { $0.lastNumber.map { $0 <= number } ?? false } }

    /// Writes the pending records, and accepts no more.
    func close(until limit: DispatchTime = .now() + .seconds(AuditLog.closeSeconds)) {
        let hasThread = state.withLock { state in
            state.isClosed = true
            return state.hasThread
        }
        guard hasThread else { return }
        wake.signal()
        _ = ended.wait(timeout: limit)
    }

    private func write() {
        var file = AuditFile(in: folder, maximumBytes: maximumBytes)
        var isFailing = false
        while true {
            let (pending, isClosed) = state.withLock { ($0.waiting.takeAll(), $0.isClosed) }
            let (records, lost) = pending
            var entries = records.map { AuditEntry.call($0) }[...]
            if lost > 0 { entries = [.lost(lost, .now)] + entries }
            do throws(FileError) {
                try file.append(&entries)
                if !records.isEmpty { isFailing = false }
            } catch {
                if !isFailing { log.write(.warning, "requests are not logged any more: \(error)") }
                isFailing = true
                state.withLock { $0.waiting.lost += entries.reduce(0) { $0 + $1.lossCount } }
            }
            let lastNumber = file.lastNumber
            if lastNumber > 0 { state.withLock { $0.lastNumber = lastNumber } }
            if isClosed { break }
            // The first pending record wakes this thread, so one that was queued meanwhile has done so already.
            guard wake.wait(timeout: .now() + .seconds(Self.idleSeconds)) == .timedOut else { continue }
            let isDone = state.withLock { state in
                guard state.waiting.records.isEmpty, !state.isClosed else { return false }
                state.hasThread = false
                return true
            }
            if isDone { return }
        }
        ended.signal()
    }
}

extension AuditPage {
    /// The entries of the log in a folder after a given number, in the form for a program of the user: without
    /// attributes of items, which may be another program's.
    init(of folder: PrivateDirectory?, after number: Int, isOn: Bool) throws(KeychainError) {
        self.init(isOn: isOn, end: number)
        guard let folder else { return }
        let part: AuditReader.Part
        var reader = AuditReader(in: folder, after: number, maximumBytes: Self.byteCount)
        do throws(FileError) { part = try reader.next() } catch {
            throw KeychainError(error)
        }
        if number == 0 { unreadable = part.unreadable }
        // The lines of the file are longer: they have a number, too.
        lines = part.numbered.map(\.entry.withoutAttributes.line)
        end = part.numbered.last?.number ?? number
    }
}

extension AuditEntry {
    fileprivate var withoutAttributes: AuditEntry {
        guard case .call(var record) = self else { return self }
        record.attributes = [:]
        return .call(record)
    }

    /// The number of entries that are lost with it.
    fileprivate var lossCount: Int {
        switch self {
        case .call: 1
        case .lost(let count, _): count
        }
    }
}
