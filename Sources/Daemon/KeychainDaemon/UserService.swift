// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainServer
import KeychainWire

/// The daemon of a user's keychain, and of the Secret Service in front of it.
enum UserService {
    /// Serves until it is asked to stop, is idle, or can no longer be reached.
    ///
    /// - Parameters:
    ///   - start: what it is started with.
    ///   - location: the keychain's folder.
    ///   - place: the socket to listen on.
    /// - Throws: ``DaemonFailure`` with the reason why it does not serve; what it took over it has handed back.
    static func serve(
        _ start: ServiceStart,
        at location: KeychainLocation,
        socket place: SocketLocation
    ) throws(DaemonFailure) {
        let passcode: StartupPasscode?
        let takeover: StoreTakeover?
        if let options = start.arguments.secretService {
            // Before anything is changed.
            passcode =
                if let descriptor = options.unlockDescriptor { try StartupPasscode(from: descriptor) } else { nil }
            takeover = try StoreTakeover(of: location)
        } else {
            (passcode, takeover) = (nil, nil)
        }
        do throws(DaemonFailure) {
            try serve(start, at: location, socket: place, unlockingWith: passcode, after: takeover)
        } catch {
            // Another daemon may serve it, as whose keychain it was taken over.
            if error.status != .done { takeover?.undo() }
            throw error
        }
    }

    private static func serve(
        _ start: ServiceStart,
        at location: KeychainLocation,
        socket place: SocketLocation,
        unlockingWith passcode: StartupPasscode?,
        after takeover: StoreTakeover?
    ) throws(DaemonFailure) {
        let (arguments, log) = (start.arguments, start.log)
        try takeover?.perform(listeningAt: place)
        var device = DeviceOptions(authenticator: CallAuthenticator())
        device.owner = .daemon
        device.onEvent = log.noteStoreVersion
        device.derivationTurns = DerivationTurns()
        var former = arguments.secretService.map {
            ReplacedDaemon(of: location, listeningAt: place, replacedOn: $0.bus)
        }
        let store = try ServedStore(at: location, device) { () throws(DaemonFailure) in
            // If the service manager listens, a response does not imply another daemon.
            guard start.passedOn.isEmpty else { return false }
            return try former?.isServing() ?? place.answers
        }
        let listening = try start.listen(at: place)
        let keychain = store.keychain
        try passcode?.unlock(keychain, log: log)
        let served: ServedFolder
        do { served = try ServedFolder(store.folder) } catch { throw DaemonFailure(error) }
        // The socket is removed at the end of this function, even if a thread still waits.
        let isUnreachable: @Sendable () -> Bool = { [weak listening] in
            listening?.isReplaced ?? false || served.isReplaced
        }
        let life = DaemonLife(
            endsWhenIdleFor: arguments.idleLimit,
            holdsKeys: { keychain.holdsUnlockedKeys },
            isUnreachable: isUnreachable,
            wake: { kill(getpid(), SIGTERM) }
        )
        let proofs = PasscodeProofs()
        let audit = AuditLog(in: store.folder, fixed: arguments.audit, log: log)
        let server: KeychainServer
        let admission: UserAdmission
        var options = DescriptorLimit.serverOptions(DescriptorLimit.raise())
        options.folder = served.number
        do {
            let programs = ServedPrograms(
                keychain: keychain,
                identities: try IdentityService(folder: store.folder),
                proofs: proofs,
                life: life,
                audit: audit
            )
            admission = UserAdmission(programs, of: served)
            server = try KeychainServer(
                sockets: listening.map { [$0.descriptor] } ?? start.passedOn,
                options: options,
                admission: admission
            )
        } catch {
            throw DaemonFailure(error)
        }
        let secretService = try arguments.secretService.map { (arguments) throws(DaemonFailure) in
            try ServedSecretService(
                arguments,
                beside: server,
                admission: admission,
                keychain: keychain,
                at: location,
                log: log
            )
        }
        defer { secretService?.stop() }
        let folder = store.folder
        KeychainDaemon.announce(place, in: folder, life: life, log: log)
        if listening != nil { recordSocket(place, in: folder, log) }
        let sessions = SessionLock(keychain, proofs: proofs, log: log)
        sessions.start()
        defer { sessions.stop() }
        log.write(.information, "\(ProductVersion.text) serves the keychain in \(location.path)")
        takeover?.end()
        try start.run(server, life: life)
        audit.close()
        served.removeRecord()
        // The sockets are removed before the store's lock is released: the next daemon finds no other daemon's socket.
        secretService?.stop()
        _ = consume listening
        _ = consume store
    }

    /// Records the socket for programs in the place of one whose folder another user has taken: once that user's folder
    /// is gone, they would look for the daemon there again.
    private static func recordSocket(_ place: SocketLocation, in folder: PrivateDirectory, _ log: DaemonLog) {
        guard var record = ServiceRecord(in: folder), record.program != nil, record.unit == nil,
            record.socket != place.path, SocketLocation(path: record.socket).isTaken
        else { return }
        record.socket = place.path
        do throws(FileError) { try record.write(in: folder) } catch { log.write(.warning, "\(error)") }
    }
}
