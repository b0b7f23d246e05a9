// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// The lock of a daemon's folder: one daemon at a time serves what belongs to the folder.
enum DaemonLock {
    /// How long to wait for a daemon that is stopping.
    private static let patienceMilliseconds: Int32 = 30_000

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - what: the served object, for messages.
    ///   - isServed: whether another daemon that serves it responds; this one is then not needed.
    /// - Returns: The lock.
    /// - Throws: ``DaemonFailure``; one of ``DaemonStatus/done`` if another daemon serves.
    static func acquire(
        in folder: PrivateDirectory,
        of what: String,
        _ isServed: () throws(DaemonFailure) -> Bool
    ) throws(DaemonFailure) -> FileLock {
        let deadline = Deadline(milliseconds: patienceMilliseconds)
        var pauses = Deadline.Pauses(until: deadline)
        while true {
            do throws(FileError) {
                let lock = try FileLock(DaemonRecord.lockName, in: folder, until: Deadline(milliseconds: 0))
                lock.nameHolder()
                return lock
            } catch {
                guard error.isBusy else { throw DaemonFailure(error) }
            }
            if try isServed() { throw DaemonFailure("another keychaind already serves the \(what)", .done) }
            guard pauses.wait() else {
                let process = DaemonRecord.process(in: folder).map { "process \($0)" } ?? "another program"
                throw DaemonFailure("\(process) holds the \(what)'s lock \(folder.path(of: DaemonRecord.lockName))")
            }
        }
    }
}
