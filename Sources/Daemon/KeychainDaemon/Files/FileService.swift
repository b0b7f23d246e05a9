// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainFiles
import KeychainHost
import KeychainIdentity
import KeychainServer
import KeychainWire
import LoginManager

/// The daemon of the user's keychain files: it keeps their lock state for all programs of the user, regardless of the
/// owner of the data protection keychain's store.
///
/// It exits when it is idle and no keychain is unlocked, and, even with unlocked ones, once its folder is gone, such as
/// that of a temporary home folder of a test.
enum FileService {
    /// Serves until it is asked to stop, is idle, or can no longer be reached.
    ///
    /// - Parameters:
    ///   - start: what it is started with.
    ///   - location: the folder of its lock and its record, ``KeychainLocation/fileDaemon``.
    ///   - place: the socket to listen on.
    /// - Throws: ``DaemonFailure`` with the reason why it does not serve.
    static func serve(
        _ start: ServiceStart,
        at location: KeychainLocation,
        socket place: SocketLocation
    ) throws(DaemonFailure) {
        let (arguments, log) = (start.arguments, start.log)
        let folder: PrivateDirectory
        do { folder = try PrivateDirectory(location) } catch { throw DaemonFailure(error) }
        let lock = try DaemonLock.acquire(in: folder, of: "keychain files") {
            // If the service manager listens, a response does not imply another daemon.
            start.passedOn.isEmpty && (place.answers || isServed(elsewhere: folder))
        }
        let listening = try start.listen(at: place)
        let files = KeychainFiles()
        let served: ServedFolder
        do { served = try ServedFolder(folder) } catch { throw DaemonFailure(error) }
        // The socket is removed at the end of this function, even if a thread still waits.
        let isUnreachable: @Sendable () -> Bool = { [weak listening] in
            listening?.isReplaced ?? false || served.isReplaced
        }
        let life = DaemonLife(
            endsWhenIdleFor: arguments.idleSeconds,
            holdsKeys: {
                // What it finds counts at the next check.
                files.lockRemovedInBackground()
                return files.holdsUnlockedKeys
            },
            isUnreachable: isUnreachable,
            wake: { kill(getpid(), SIGTERM) }
        )
        let audit = AuditLog(in: folder, fixed: arguments.audit, log: log)
        let server: KeychainServer
        var options = DescriptorLimit.serverOptions(DescriptorLimit.raise())
        options.folder = served.number
        do {
            let programs = ServedPrograms(
                keychain: files,
                identities: try IdentityService(folder: folder),
                proofs: PasscodeProofs(),
                life: life,
                audit: audit
            )
            server = try KeychainServer(
                sockets: listening.map { [$0.descriptor] } ?? start.passedOn,
                options: options,
                admission: UserAdmission(programs, of: served)
            )
        } catch {
            throw DaemonFailure(error)
        }
        KeychainDaemon.announce(place, in: folder, life: life, log: log)
        let user = geteuid()
        let sessions = SessionLock(log) { event in handle(event, of: user, in: files) }
        sessions.start()
        defer { sessions.stop() }
        log.write(.information, "\(ProductVersion.text) serves the keychain files of user \(user)")
        try start.run(server, life: life)
        audit.close()
        served.removeRecord()
        // The socket is removed before the lock is released: the next daemon finds no other daemon's socket.
        _ = consume listening
        _ = consume lock
    }

    /// Handles an event of the login manager: a keychain file locks on sleep if its settings say so, and when the user
    /// has logged out, but not when the screen is locked (Semantics, "File-based keychains").
    static func handle(_ event: LoginEvent, of user: UInt32, in files: KeychainFiles) {
        switch event {
        case .goingToSleep: files.hostWillSleep()
        case .loggedOut(user): files.lockAll()
        case .loggedOut, .locked, .unlocked, .wokeUp: break
        }
    }

    /// Whether the daemon that the folder records listens: on another socket, if its environment was another one.
    private static func isServed(elsewhere folder: PrivateDirectory) -> Bool {
        DaemonRecord(in: folder).map { SocketLocation(path: $0.socket).answers } ?? false
    }
}

extension KeychainFiles: ServedKeychain {
    /// There is no device that could be unlocked.
    func currentUnlock() throws(KeychainError) -> UInt64? { nil }

    /// Keychain files have no access groups.
    func accessGroups() throws(KeychainError) -> [String] { [] }
}
