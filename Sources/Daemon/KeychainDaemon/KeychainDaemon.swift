// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CKeychainSupport
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainServer
import KeychainTrust
import KeychainWire

/// The program `keychaind`: serves the keychain of a user to that user's programs, or the keychain files of a user, or
/// the keychains of all users.
package enum KeychainDaemon {
    /// Runs the program until it exits.
    ///
    /// - Parameter words: the arguments, without the program's name.
    /// - Returns: The exit status.
    package static func run(_ words: [String]) -> Int32 {
        GivenDescriptor.recordMissing(in: words)
        harden()
        // The program that starts a daemon on demand may have limits of its own, such as a test or a shell.
        keychain_lift_limits()
        let log = DaemonLog()
        // The system service starts it so, for certificates of a user.
        if words == [JudgeProgram.option] { return JudgeProgram.run() }
        if words == [TrustHelper.option] { return EvaluationProgram.run() }
        do {
            try serve(DaemonCommand.parse(words).arguments, log)
        } catch let failure as DaemonFailure {
            log.write(failure.status == .done ? .notice : .error, failure.description)
            keychain_background_report(failure.status.rawValue, failure.description)
            return failure.status.rawValue
        } catch {
            return report(error, log)
        }
        return DaemonStatus.done.rawValue
    }

    /// Handles a command line that requests help or the version, or that is invalid.
    private static func report(_ error: any Error, _ log: DaemonLog) -> Int32 {
        guard DaemonCommand.exitCode(for: error) != .success else {
            print(DaemonCommand.fullMessage(for: error))
            guard fflush(nil) == 0 else {
                log.write(.error, "standard output cannot be written: \(String(cString: strerror(errno)))")
                return DaemonStatus.failed.rawValue
            }
            return DaemonStatus.done.rawValue
        }
        log.write(.error, DaemonCommand.message(for: error) + "; see 'keychaind --help'")
        return DaemonStatus.usage.rawValue
    }

    /// Restrictions that have to be in effect before anything else.
    private static func harden() {
        _ = keychain_disable_core_files()
        umask(0o077)
        // Do not prevent a file system from being unmounted.
        _ = chdir("/")
    }

    private static func serve(_ arguments: DaemonArguments, _ log: DaemonLog) throws(DaemonFailure) {
        let notification = ServiceNotification()
        let passedOn: [Int32]
        do { passedOn = try SocketActivation.adoptSockets() } catch { throw DaemonFailure(error.description) }
        if arguments.isInBackground, passedOn.isEmpty {
            // A service manager of the program that started this one waits for that program.
            unsetenv("NOTIFY_SOCKET")
            // Before there is a second thread, or a lock that a fork would release.
            let failure = keychain_go_to_background(arguments.secretService?.unlockDescriptor ?? -1)
            guard failure == 0 else { throw DaemonFailure(.system(call: "fork", path: "keychaind", errno: failure)) }
        }
        let start = ServiceStart(
            arguments: arguments,
            passedOn: passedOn,
            termination: Termination(),
            notification: notification,
            log: log
        )
        if arguments.service == .system { return try SystemService.serve(start) }
        let (location, place) = try places(arguments)
        if arguments.service == .files { return try FileService.serve(start, at: location, socket: place) }
        try UserService.serve(start, at: location, socket: place)
    }

    private static func places(
        _ arguments: DaemonArguments
    ) throws(DaemonFailure) -> (folder: KeychainLocation, socket: SocketLocation) {
        do throws(FileError) {
            var store: KeychainLocation
            if let path = arguments.store {
                store = KeychainLocation(path: path)
            } else {
                store = try KeychainLocation(environment: ProcessEnvironment.path)
            }
            if arguments.service == .files { store = store.fileDaemon }
            if let path = arguments.socket { return (store, SocketLocation(path: path)) }
            return (store, try SocketLocation(of: store))
        } catch {
            throw DaemonFailure(error)
        }
    }

    /// Records which process serves a folder; on a full disk, where items can still be read, once there is room.
    static func announce(
        _ location: SocketLocation,
        in folder: PrivateDirectory,
        life: DaemonLife,
        log: DaemonLog
    ) {
        let process = getpid()
        let record = DaemonRecord(
            process: process,
            startTime: ProcessStartTime.of(process) ?? 0,
            version: ProductVersion.text,
            socket: location.path
        )
        do throws(FileError) { try record.write(in: folder) } catch {
            log.write(.warning, "\(error)")
            life.retry { (try? record.write(in: folder)) != nil }
        }
    }
}
