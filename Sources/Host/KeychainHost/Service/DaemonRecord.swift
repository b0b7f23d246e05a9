// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The record of a running daemon, in a file next to the store that it serves.
///
/// For display, and for `keychainctl service`, which only uses it to stop the process.
package struct DaemonRecord: Sendable, Hashable {
    /// The process.
    package var process: Int32

    /// When it was started, which distinguishes it from a later process with the same PID (proc(5), `/proc/PID/stat`,
    /// field 22).
    package var startTime: UInt64

    /// The version of the program.
    package var version: String

    /// The path of its socket.
    package var socket: String

    /// The file's name.
    package static let fileName = "daemon.record"

    /// The file by which one daemon at a time serves a store.
    package static let lockName = "daemon.lock"

    /// A record of a daemon.
    package init(process: Int32, startTime: UInt64, version: String, socket: String) {
        self.process = process
        self.startTime = startTime
        self.version = version
        self.socket = socket
    }

    /// The record in the folder of a store; `nil` if no record can be read, its daemon has exited, or it was copied
    /// with its folder.
    package init?(in folder: PrivateDirectory) {
        guard let lines = folder.lines(of: Self.fileName), lines.count == 5, let process = Int32(lines[0]),
            let startTime = UInt64(lines[1]), process > 1, ProcessStartTime.of(process) == startTime,
            // The host has not been restarted since.
            lines[4] == FileIdentity(path: folder.path)?.text
        else { return nil }
        self.init(process: process, startTime: startTime, version: lines[2], socket: lines[3])
    }

    /// The record of the daemon that currently serves the store in a folder; `nil` if there is none, or none in this
    /// PID namespace.
    ///
    /// The kernel knows which process holds the folder's lock. So an outdated record does not count, nor one that was
    /// copied with its folder. Must not be called by the daemon itself.
    package init?(serving folder: PrivateDirectory) {
        // A process that inspects a lock of its own releases it.
        guard let record = DaemonRecord(in: folder), record.process != getpid(),
            FileLock.holder(of: Self.lockName, in: folder) == record.process
        else { return nil }
        self = record
    }

    /// The process of the daemon of a store, also of one that found no room on the disk for its record.
    package static func process(in folder: PrivateDirectory) -> Int32? {
        FileLock.holder(of: lockName, in: folder) ?? DaemonRecord(in: folder)?.process
    }

    /// Stops the daemon of a store, and every other one that a program starts before this process has the lock.
    ///
    /// - Parameters:
    ///   - folder: the folder of the store.
    ///   - deadline: when to kill a daemon that has not stopped.
    /// - Returns: The lock, which prevents daemons from serving the store.
    /// - Throws: ``FileError/lockTimeout(path:)`` if a daemon does not stop.
    package static func stop(in folder: PrivateDirectory, until deadline: Deadline) throws(FileError) -> FileLock {
        var last: Int32?
        while deadline.millisecondsLeft > 0 {
            if let process = process(in: folder), process != last {
                kill(process, SIGTERM)
                // One that was stopped (SIGSTOP) receives it once it continues.
                kill(process, SIGCONT)
                last = process
            }
            do throws(FileError) {
                let time = Deadline(milliseconds: min(50, deadline.millisecondsLeft))
                return try FileLock(lockName, in: folder, until: time)
            } catch {
                guard error.isBusy else { throw error }
            }
        }
        // Acknowledged changes are durable.
        if let process = process(in: folder) { kill(process, SIGKILL) }
        return try FileLock(lockName, in: folder, until: Deadline(milliseconds: killMilliseconds))
    }

    /// How long a killed process may take to end.
    private static let killMilliseconds: Int32 = 5_000

    /// Writes the record.
    package func write(in folder: PrivateDirectory) throws(FileError) {
        guard let identity = FileIdentity(path: folder.path) else {
            throw .system(call: "lstat", path: folder.path, errno: errno)
        }
        try folder.makeFile(Self.fileName, lines: ["\(process)", "\(startTime)", version, socket, identity.text])
    }
}
