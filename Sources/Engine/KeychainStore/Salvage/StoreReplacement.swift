// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// Puts a new file in the place of a store's, which no process uses meanwhile, and keeps the former one.
///
/// A process that is killed at any moment leaves the former store or the new one, whole. A log beside a file that it
/// does not belong to would be written into that file, and two files cannot be replaced at once. So the log is first
/// carried into a copy of the file, which takes the file's place: with and without the log, that is the former store.
/// Then the log is removed, and the new file takes the place of the copy.
package final class StoreReplacement {
    private let folder: PrivateDirectory
    private let options: StoreOptions
    private let place: StorePlace
    private let setupLock: FileLock
    private var seized: [SeizedFile] = []

    /// Told before each step that changes a file, for tests.
    package var willChange: @Sendable (_ step: String) -> Void = { _ in }

    /// Takes a store from all other processes.
    ///
    /// - Throws: ``KeychainError`` with the processes that use it, after the time-out of the options.
    package init(in folder: PrivateDirectory, _ options: StoreOptions) throws(KeychainError) {
        self.folder = folder
        self.options = options
        let deadline = Deadline(milliseconds: options.busyTimeoutMilliseconds)
        do { place = try StorePlace(folder, options) } catch { throw KeychainError(error) }
        if case .foreign(let kind) = place { throw KeychainError(.sharedFolder(path: folder.path, kind: kind)) }
        do throws(KeychainError) {
            setupLock = try Store.lock(folder, until: deadline)
            for name in [Store.fileName, Self.index] { try seize(name, until: deadline) }
        } catch {
            place.hostLock?.release()
            throw error
        }
    }

    deinit {
        // What is left has all items, under the keys of now: nothing, unless a step failed.
        Self.removeRemains(from: folder)
        place.hostLock?.release()
    }

    /// Removes the new files that a killed repair has left: they have all items, under the keys of that time.
    ///
    /// The caller holds the lock of ``Store/lock(_:until:)``, so that no repair is in progress.
    package static func removeRemains(from folder: PrivateDirectory) {
        for name in remains(in: folder) { folder.remove(name) }
    }

    /// The same for a caller without that lock; nothing is removed while a repair is in progress.
    package static func removeRemains(from folder: PrivateDirectory, until deadline: Deadline) {
        guard !remains(in: folder).isEmpty else { return }
        do throws(KeychainError) {
            let lock = try Store.lock(folder, until: deadline)
            removeRemains(from: folder)
            _ = consume lock
        } catch {}
    }

    private static func remains(in folder: PrivateDirectory) -> [String] {
        folder.names(beginningWith: Store.newName) + folder.names(beginningWith: joined)
    }

    /// Copies the file and its log, as they are, to names of their own beside them.
    ///
    /// - Parameter date: the end of the names.
    /// - Returns: The names; the first is that of the file.
    /// - Throws: ``KeychainError``, for example if there is no room for them; there is no copy in that case.
    package func keepFormer(_ date: String) throws(KeychainError) -> [String] {
        let name = "\(Store.fileName).\(Self.keptSuffix)-\(date)"
        var (base, number) = (name, 1)
        while folder.isTaken(base) || folder.isTaken(base + "-wal") {
            number += 1
            base = "\(name)-\(number)"
        }
        var kept: [String] = []
        do throws(KeychainError) {
            for suffix in ["", "-wal"] {
                guard try has(Store.fileName + suffix) else { continue }
                willChange("keep \(Store.fileName + suffix)")
                try copy(Store.fileName + suffix, to: base + suffix)
                kept.append(base + suffix)
            }
            return kept
        } catch {
            for name in kept { folder.remove(name) }
            throw error
        }
    }

    /// The names of the files that repairs have kept in a folder.
    package static func keptFiles(in folder: PrivateDirectory) -> [String] {
        folder.names(beginningWith: "\(Store.fileName).\(keptSuffix)-")
    }

    /// Creates the new file, which is not in place yet, and is removed with this object unless it gets there.
    package func makeNew(
        keybag: [UInt8],
        _ record: DeviceRecord,
        rows: (RowWriter) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        willChange("make the new file")
        try Store.makeNew(in: folder, options, place, keybag: keybag, record: record) {
            (connection) throws(KeychainError) in try rows(RowWriter(connection))
        }
    }

    /// Puts the new file in place.
    ///
    /// - Parameters:
    ///   - log: the condition of the log.
    ///   - kept: the copies of the former files, which go again if these have not changed.
    /// - Throws: ``KeychainError``; the former store is in place in that case.
    package func publish(_ log: LogCondition, kept: [String]) throws(KeychainError) {
        if log.isUsed {
            do throws(KeychainError) {
                try join()
                try seize(Self.joined, until: Deadline(milliseconds: 0))
            } catch {
                for name in kept { folder.remove(name) }
                throw error
            }
            willChange("put the file with its log in place")
            try Store.changing(folder) { (folder) throws(FileError) in
                try folder.publish(Self.joined, as: Store.fileName)
            }
        }
        for name in [Self.log, Self.index] {
            willChange("remove \(name)")
            folder.remove(name)
        }
        try Store.changing(folder) { (folder) throws(FileError) in try folder.sync() }
        try seize(Store.newName, until: Deadline(milliseconds: 0))
        willChange("put the new file in place")
        try Store.changing(folder) { (folder) throws(FileError) in
            try folder.publish(Store.newName, as: Store.fileName)
        }
        willChange("end")
    }

    /// Makes a copy of the file with all pages that its log has.
    private func join() throws(KeychainError) {
        folder.remove(Self.joined)
        willChange("join the file and its log")
        let log = LogContents(FileBytes(path: folder.path(of: Self.log)))
        try copy(Store.fileName, to: Self.joined) { (descriptor) throws(FileError) in
            let path = folder.path(of: Self.joined)
            for number in log.numbers where number <= log.pageCount {
                guard let page = log.page(number), page.count == log.pageSize else { continue }
                try Self.write(page, to: descriptor, path, at: (number - 1) * log.pageSize)
            }
            guard lseek(descriptor, 0, SEEK_END) >= LogMark.headerByteCount else { return }
            // Of the log that this file does not need.
            let marks = [UInt8](repeating: 0, count: LocalUse.range.upperBound - LogMark.range.lowerBound)
            try Self.write(marks, to: descriptor, path, at: LogMark.range.lowerBound)
            guard !log.hasPages || ftruncate(descriptor, off_t(log.pageCount * log.pageSize)) == 0 else {
                throw .system(call: "ftruncate", path: path, errno: errno)
            }
        }
    }

    private func seize(_ name: String, until deadline: Deadline) throws(KeychainError) {
        do throws(StoreError) {
            if let file = try SeizedFile(name, in: folder, until: deadline) { seized.append(file) }
        } catch {
            throw KeychainError(error)
        }
    }

    private func has(_ name: String) throws(KeychainError) -> Bool {
        do { return try folder.hasFile(name) } catch { throw KeychainError(StoreError.file(error)) }
    }

    /// Copies a file to a name that nothing has, of mode 0600; complete and durable under it, or not at all.
    private func copy(
        _ name: String,
        to target: String,
        _ change: (_ descriptor: Int32) throws(FileError) -> Void = { _ in }
    ) throws(KeychainError) {
        let temporary = target + PrivateDirectory.temporarySuffix
        folder.remove(temporary)
        try Store.changing(folder) { (folder) throws(FileError) in
            do throws(FileError) {
                try folder.makeEmptyFile(temporary)
                let descriptor = try folder.openFile(temporary)
                defer { close(descriptor) }
                try Self.copyBytes(of: folder.path(of: name), to: descriptor, folder.path(of: temporary))
                try change(descriptor)
                try folder.publishNew(temporary, as: target)
            } catch {
                folder.remove(temporary)
                throw error
            }
        }
    }

    private static func copyBytes(
        of path: String,
        to descriptor: Int32,
        _ target: String
    ) throws(FileError) {
        let source = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard source >= 0 else { throw .system(call: "open", path: path, errno: errno) }
        defer { close(source) }
        var buffer = [UInt8](repeating: 0, count: copiedAtOnce)
        var offset = 0
        while true {
            let count = read(source, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(call: "read", path: path, errno: errno) }
            if count == 0 { return }
            try write(Array(buffer[..<count]), to: descriptor, target, at: offset)
            offset += count
        }
    }

    private static func write(
        _ bytes: [UInt8],
        to descriptor: Int32,
        _ path: String,
        at offset: Int
    ) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written, off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(call: "write", path: path, errno: errno) }
            written += count
        }
    }

    private static let copiedAtOnce = 1 << 20
    private static let log = Store.fileName + "-wal"
    private static let index = Store.fileName + "-shm"
    private static let joined = Store.fileName + ".joined"
    private static let keptSuffix = "damaged"
}

/// A file of SQLite's that no other process can lock, for as long as the value lives.
///
/// SQLite locks bytes of its files with fcntl(2): of a database those from 2^30 on, of the index of a log bytes 120 to
/// 128 (sqlite.org/fileformat2.html, section 1.4; sqlite.org/walformat.html, "WAL Locks"). A process that has a store
/// open holds one of each.
private final class SeizedFile {
    private let descriptor: Int32

    /// Waits for the locks; `nil` if there is no such file.
    init?(_ name: String, in folder: PrivateDirectory, until deadline: Deadline) throws(StoreError) {
        do { guard try folder.hasFile(name) else { return nil } } catch { throw .file(error) }
        let path = folder.path(of: name)
        descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(.system(call: "open", path: path, errno: errno)) }
        let isIndex = name.hasSuffix("-shm")
        var pauses = Deadline.Pauses(until: deadline)
        while true {
            var lock = isIndex ? Self.lock(from: 120, count: 9) : Self.lock(from: 1 << 30, count: 512)
            if fcntl(descriptor, Self.setLock, &lock) == 0 { return }
            let failure = errno
            guard [EAGAIN, EACCES, EINTR].contains(failure) else {
                throw .file(.system(call: "fcntl", path: path, errno: failure))
            }
            guard pauses.wait() else { throw .inUse(path: path, holder: Self.holder(descriptor, lock)) }
        }
    }

    deinit { close(descriptor) }

    // Locks of an open file (fcntl_locking(2)), which another descriptor of this process does not end; Swift does not
    // import their names.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    private static func lock(from start: Int, count: Int) -> Glibc.flock {
        var lock = Glibc.flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(start)
        lock.l_len = off_t(count)
        return lock
    }

    private static func holder(_ descriptor: Int32, _ lock: Glibc.flock) -> String {
        var lock = lock
        lock.l_pid = 0
        guard fcntl(descriptor, getLock, &lock) == 0, lock.l_type != Int16(F_UNLCK), lock.l_pid > 0 else {
            return "another process"
        }
        return "process \(lock.l_pid)"
    }
}
