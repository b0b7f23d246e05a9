// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainCore
import KeychainHost
import KeychainWire

/// A daemon of the same keychain that programs have started, which serves no message bus: one that serves the bus, too,
/// takes its place, because a keychain has one daemon.
enum ReplacedDaemon {
    /// How long it may take to end.
    private static let patienceMilliseconds: Int32 = 30_000

    /// Ends it, unless programs would have to unlock the keychain again.
    ///
    /// - Parameters:
    ///   - location: the folder of the keychain.
    ///   - socket: the socket on which it listens.
    /// - Throws: ``DaemonFailure`` if it stays.
    static func end(at location: KeychainLocation, listeningAt socket: SocketLocation) throws(DaemonFailure) {
        guard socket.answers, let folder = try? PrivateDirectory(existing: location),
            let running = DaemonRecord(in: folder)
        else { return }
        let name = "the keychain's daemon (process \(running.process))"
        guard !servesBus(running.process) else {
            throw DaemonFailure("\(name) serves the Secret Service on another message bus")
        }
        do throws(KeychainError) {
            let status = try DaemonKeychain(at: socket).device.status()
            guard !status.hasPasscode || status.lockState != .unlocked else {
                throw KeychainError(
                    .notAvailable,
                    "\(name) serves no message bus, and is unlocked; lock it, so that one takes its place that does: "
                        + "'keychainctl device lock'"
                )
            }
        } catch { throw DaemonFailure(error) }
        do throws(FileError) {
            _ = try DaemonRecord.stop(in: folder, until: Deadline(milliseconds: patienceMilliseconds))
        } catch { throw DaemonFailure("\(name) does not stop: \(error)") }
    }

    /// Whether a process was started to serve a bus.
    private static func servesBus(_ process: Int32) -> Bool {
        let file = open("/proc/\(process)/cmdline", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let words = DescriptorContents(of: file, atMost: 64 << 10).bytes
        return words.split(separator: 0).contains { $0.elementsEqual("--secret-service".utf8) }
    }
}
