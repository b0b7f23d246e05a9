// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainRouting

/// A folder with a keychain and the daemon of this build, which programs start when they need it.
///
/// A daemon that still runs when the object goes away is killed.
package final class DaemonFolder: Sendable {
    /// The folder of the keychain.
    package let location: KeychainLocation

    /// Where the daemon listens.
    package let socket: String

    /// The folder of the daemon's lock and record.
    private let daemonLocation: KeychainLocation

    private let folder: TemporaryFolder

    /// No keychain yet, and the daemon that serves keychain files to programs that use this folder.
    package static func ofKeychainFiles() throws -> DaemonFolder { try DaemonFolder(servingFiles: ()) }

    private init(servingFiles: Void) throws {
        folder = try TemporaryFolder(prefix: "kd")
        location = KeychainLocation(path: folder.path(of: "keychain"))
        daemonLocation = location.fileDaemon
        socket = folder.path(of: "run/keychaind.sock")
        try recordFileDaemon()
    }

    /// A keychain that the daemon owns, or that programs open themselves.
    package init(isEnabled: Bool = true) throws {
        folder = try TemporaryFolder(prefix: "kd")
        location = KeychainLocation(path: folder.path(of: "keychain"))
        daemonLocation = location
        socket = folder.path(of: "run/keychaind.sock")
        // A look-up would not make it.
        _ = try EmbeddedKeychain(at: location).storeMark()
        if isEnabled { try handOverToDaemon() }
    }

    /// Has programs that use keychain files start the daemon of this build, once more where the folder was removed.
    package func recordFileDaemon() throws {
        let record = ServiceRecord(program: try Self.program("keychaind"), socket: socket)
        try record.write(in: PrivateDirectory(daemonLocation))
    }

    /// Makes the store over to the daemon.
    package func handOverToDaemon() throws {
        let record = ServiceRecord(program: try Self.program("keychaind"), socket: socket)
        try record.write(in: PrivateDirectory(location))
        try EmbeddedKeychain(at: location).handOver(to: .daemon)
    }

    /// Makes the store over to the programs that use it; no daemon may run.
    package func handOverToPrograms() throws {
        var device = DeviceOptions()
        device.owner = .daemon
        try EmbeddedKeychain(at: location, device: device).handOver(to: .embedded)
    }

    /// Ends the daemon, and runs `body` while none serves the store.
    package func whileStopped(_ body: () throws -> Void) throws {
        let lock = try DaemonRecord.stop(in: PrivateDirectory(location), until: Deadline(milliseconds: 60_000))
        try body()
        _ = consume lock
    }

    deinit {
        guard let record else { return }
        kill(record.process, SIGKILL)
        awaitEnd()
    }

    /// A path beside the keychain.
    package func path(beside name: String) -> String { folder.path(of: name) }

    /// The parts of the keychain as another program has them.
    package func parts(_ authenticator: any Authenticator = NoAuthenticator()) -> ProcessKeychain.Parts {
        ProcessKeychain.Parts(storeAt: location, authenticator: authenticator, retryMilliseconds: 1_000)
    }

    /// The keychain as another program has it.
    package func keychain(_ authenticator: any Authenticator = NoAuthenticator()) -> RoutedKeychain {
        RoutedKeychain(parts(authenticator))
    }

    /// The daemon that runs; `nil` for none.
    package var record: DaemonRecord? {
        (try? PrivateDirectory(existing: daemonLocation)).flatMap { $0.flatMap { DaemonRecord(in: $0) } }
    }

    /// Sends a signal to the daemon, if one runs, and waits for its end.
    ///
    /// - Returns: Whether one ran, and has ended.
    @discardableResult
    package func end(by signal: Int32) -> Bool {
        guard let record, kill(record.process, signal) == 0 else { return false }
        // The next daemon may have the lock before this process gets it.
        for _ in 0..<600 where self.record?.process == record.process {
            if awaitEnd(milliseconds: 100) { return true }
        }
        return self.record?.process != record.process
    }

    /// Waits until no daemon has the store.
    @discardableResult
    package func awaitEnd(milliseconds: Int32 = 60_000) -> Bool {
        guard let directory = try? PrivateDirectory(daemonLocation) else { return true }
        let lock = try? FileLock(DaemonRecord.lockName, in: directory, until: Deadline(milliseconds: milliseconds))
        return lock != nil
    }

    /// A program of this build, which the package manager puts beside the bundle of the tests.
    package static func program(_ name: String) throws -> String {
        guard let own = DaemonProgram.ownPath(), let slash = own.lastIndex(of: "/") else { throw NoProgram(name: name) }
        let path = "\(own[..<slash])/\(name)"
        guard access(path, X_OK) == 0 else { throw NoProgram(name: path) }
        return path
    }

    /// A program is not there.
    package struct NoProgram: Error {
        /// Its name.
        package let name: String
    }
}
