// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainWire

/// Takes a user's keychain over for a daemon that starts, as `keychainctl service enable` does; `keychainctl service
/// disable` hands it back.
enum StoreTakeover {
    /// How long to wait for a command that changes the owner.
    private static let patienceMilliseconds: Int32 = 30_000

    /// Makes a daemon the owner of the keychain in a folder, and creates the keychain if there is none.
    ///
    /// - Parameters:
    ///   - location: the folder.
    ///   - socket: the socket on which the daemon is going to listen.
    /// - Returns: Whether it was embedded, or not there, before.
    /// - Throws: ``DaemonFailure``; the owner is unchanged.
    static func perform(
        at location: KeychainLocation,
        listeningAt socket: SocketLocation
    ) throws(DaemonFailure) -> Bool {
        let folder: PrivateDirectory
        let lock: FileLock
        do throws(FileError) {
            folder = try PrivateDirectory(location)
            let deadline = Deadline(milliseconds: patienceMilliseconds)
            lock = try FileLock(ServiceRecord.lockName, in: folder, until: deadline)
        } catch {
            throw DaemonFailure(error)
        }
        let embedded = EmbeddedKeychain(at: location)
        do throws(KeychainError) {
            // Whether there is none, or an embedded one.
            _ = try embedded.checkOwner()
        } catch {
            // Opening the store says what is wrong with any other owner.
            guard error.foreignOwner == nil else { return false }
            throw DaemonFailure(error)
        }
        try handOver(embedded, in: folder, to: socket)
        _ = consume lock
        return true
    }

    /// Hands a keychain back that was taken over for a start that has failed.
    static func undo(at location: KeychainLocation) {
        var device = DeviceOptions()
        device.owner = .daemon
        let keychain = EmbeddedKeychain(at: location, device: device)
        do {
            let folder = try PrivateDirectory(location)
            let deadline = Deadline(milliseconds: patienceMilliseconds)
            let lock = try FileLock(ServiceRecord.lockName, in: folder, until: deadline)
            try keychain.handOver(to: .embedded)
            ServiceRecord.remove(in: folder)
            _ = consume lock
        } catch {
            // The daemon has it still, as 'keychainctl service status' says.
        }
    }

    private static func handOver(
        _ embedded: EmbeddedKeychain,
        in folder: PrivateDirectory,
        to socket: SocketLocation
    ) throws(DaemonFailure) {
        guard let program = DaemonProgram.ownPath() else {
            throw DaemonFailure("the path of this program is unknown, by which others would start it")
        }
        do throws(FileError) {
            try ServiceRecord(program: program, socket: socket.path).write(in: folder)
        } catch {
            throw DaemonFailure(error)
        }
        do throws(KeychainError) { try embedded.handOver(to: .daemon) } catch {
            ServiceRecord.remove(in: folder)
            throw DaemonFailure(error)
        }
    }
}
