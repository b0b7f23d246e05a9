// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainWire

/// Takes a user's keychain over for a daemon that starts, as `keychainctl service enable` does; `keychainctl service
/// disable` hands it back.
///
/// One daemon at a time starts in this way: the others, of sessions that began at the same time, wait until it serves,
/// or has handed back what it took over.
final class StoreTakeover {
    private let location: KeychainLocation
    private let folder: PrivateDirectory
    private var lock: FileLock?
    private var isTakenOver = false

    /// How long to wait for a command that changes the owner, and for other daemons that start.
    private static let patienceMilliseconds: Int32 = 30_000

    /// Waits until no other daemon or command takes the keychain in a folder over; the folder is made if it is missing.
    init(of location: KeychainLocation) throws(DaemonFailure) {
        self.location = location
        do throws(FileError) {
            folder = try PrivateDirectory(location)
            let deadline = Deadline(milliseconds: Self.patienceMilliseconds)
            lock = try FileLock(ServiceRecord.lockName, in: folder, until: deadline)
        } catch {
            throw DaemonFailure(error)
        }
    }

    /// Makes a daemon the owner of the keychain, and creates the keychain if there is none.
    ///
    /// - Parameter socket: the socket on which the daemon is going to listen.
    /// - Throws: ``DaemonFailure``; the owner is unchanged.
    func perform(listeningAt socket: SocketLocation) throws(DaemonFailure) {
        let embedded = EmbeddedKeychain(at: location)
        do throws(KeychainError) {
            // Whether there is none, or an embedded one.
            _ = try embedded.checkOwner()
        } catch {
            // Opening the store says what is wrong with any other owner.
            guard error.foreignOwner == nil else { return }
            throw DaemonFailure(error)
        }
        try handOver(embedded, to: socket)
        isTakenOver = true
    }

    /// Lets others begin, because the daemon serves.
    func end() { lock = nil }

    /// Hands back what was taken over, because the start has failed.
    func undo() {
        guard isTakenOver else { return }
        isTakenOver = false
        var device = DeviceOptions()
        device.owner = .daemon
        do {
            try EmbeddedKeychain(at: location, device: device).handOver(to: .embedded)
            ServiceRecord.remove(in: folder)
        } catch {
            // The daemon has it still, as 'keychainctl service status' says.
        }
    }

    private func handOver(_ embedded: EmbeddedKeychain, to socket: SocketLocation) throws(DaemonFailure) {
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
