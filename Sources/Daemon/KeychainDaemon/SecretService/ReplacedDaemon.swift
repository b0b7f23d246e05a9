// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainCore
import KeychainHost
import KeychainWire

/// The daemon that has the lock of a keychain for which another one starts that serves the Secret Service: one that
/// serves the same bus is what programs need, and one that serves no bus makes way, because a keychain has one daemon.
struct ReplacedDaemon {
    private let folder: PrivateDirectory?
    private let socket: SocketLocation
    private let bus: SocketLocation?
    /// The process that was asked to end.
    private var leaving: Int32?

    /// The daemon of a keychain, if there is one.
    ///
    /// - Parameters:
    ///   - location: the folder of the keychain.
    ///   - socket: the socket on which it listens.
    ///   - bus: the socket of the bus to serve; `nil` for the session bus.
    init(of location: KeychainLocation, listeningAt socket: SocketLocation, replacedOn bus: String?) {
        folder = try? PrivateDirectory(existing: location)
        self.socket = socket
        self.bus = bus.map { SocketLocation(path: $0) }
    }

    /// Whether it serves what is to be served.
    ///
    /// Otherwise it is asked to end, unless programs would have to unlock the keychain again. To be called until it
    /// serves, or has ended.
    ///
    /// - Throws: ``DaemonFailure`` if it stays.
    mutating func isServing() throws(DaemonFailure) -> Bool {
        guard let process = folder.flatMap({ DaemonRecord.process(in: $0) }) else { return socket.answers }
        let name = "the keychain's daemon (process \(process))"
        let words = Self.words(of: process)
        if words.contains(Self.serviceOption) {
            guard Self.bus(in: words).map({ SocketLocation(path: $0) })?.path == bus?.path else {
                throw DaemonFailure("\(name) serves the Secret Service on another message bus")
            }
            // It may have begun just now.
            return (bus ?? socket).answers
        }
        guard process != leaving, socket.answers else { return false }
        let status: DeviceStatus
        do throws(KeychainError) { status = try DaemonKeychain(at: socket).device.status() } catch {
            // It may have ended meanwhile.
            guard error.isUnavailable else { throw DaemonFailure(error) }
            return false
        }
        guard !status.hasPasscode || status.lockState != .unlocked else {
            throw DaemonFailure(
                "\(name) serves no message bus, and is unlocked; lock it, so that one takes its place that does: "
                    + "'keychainctl device lock'"
            )
        }
        kill(process, SIGTERM)
        leaving = process
        return false
    }

    private static let serviceOption = "--secret-service"
    private static let busOption = "--bus"

    /// The socket of the bus that words of a command line name; `nil` for none.
    private static func bus(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == busOption { return words.dropFirst(index + 1).first }
            if word.hasPrefix("\(busOption)=") { return String(word.dropFirst(busOption.count + 1)) }
        }
        return nil
    }

    /// The words with which a process was started; none if that cannot be determined.
    private static func words(of process: Int32) -> [String] {
        DescriptorContents.words(in: "cmdline", of: process, atMost: 64 << 10).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
