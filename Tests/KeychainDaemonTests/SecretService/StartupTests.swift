// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import KeychainWire
import Testing

@testable import KeychainDaemon

/// What `keychaind --secret-service` does with the keychain before it serves.
struct SecretServiceStartupTests {
    private let folder: TemporaryFolder
    private let location: KeychainLocation
    private let socket: SocketLocation

    init() throws {
        folder = try TemporaryFolder(prefix: "ks")
        location = KeychainLocation(path: folder.path(of: "keychain"))
        socket = SocketLocation(path: folder.path(of: "run/keychaind.sock"))
    }

    private func takeOver() throws { try StoreTakeover(of: location).perform(listeningAt: socket) }

    private var daemons: EmbeddedKeychain {
        var device = DeviceOptions.withNegligibleWork
        device.owner = .daemon
        return EmbeddedKeychain(at: location, device: device)
    }

    @Test("a fresh or embedded keychain is taken over, with its items and where programs find the daemon")
    func takesOver() throws {
        try takeOver()
        #expect(try daemons.checkOwner())
        let record = try #require(ServiceRecord(in: PrivateDirectory(location)))
        #expect(record == ServiceRecord(program: DaemonProgram.ownPath(), socket: socket.path))
        // Again, by the next start.
        try takeOver()
        #expect(try daemons.checkOwner())
    }

    @Test("a keychain that the daemon owns keeps its record, with the unit of systemd")
    func keepsRecord() throws {
        try takeOver()
        let record = ServiceRecord(program: "/bin/true", socket: "/run/x", unit: "x.socket")
        try record.write(in: PrivateDirectory(location))
        try takeOver()
        #expect(try ServiceRecord(in: PrivateDirectory(location)) == record)
    }

    /// A descriptor from which a text can be read.
    private func descriptor(_ text: String) throws -> Int32 {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        return dup(pipe.fileHandleForReading.fileDescriptor)
    }

    private func unlock(_ keychain: EmbeddedKeychain, with text: String) throws {
        try StartupPasscode(from: descriptor(text)).unlock(keychain, log: DaemonLog())
    }

    @Test("an empty keychain gets the first line as its passcode; later it unlocks", arguments: ["1234\nrest", "1234"])
    func unlocks(_ text: String) throws {
        try takeOver()
        try unlock(daemons, with: text)
        let keychain = daemons
        #expect(try keychain.device.status().isLocked)
        try unlock(keychain, with: text)
        let status = try keychain.device.status()
        #expect(status.hasPasscode && status.lockState == .unlocked)
        try keychain.device.unlock(passcode: SecretBytes(Array("1234".utf8)))
    }

    @Test("a recovery key that is there before the passcode is named in the log", arguments: [true, false])
    func recoveryKey(_ isThere: Bool) throws {
        try takeOver()
        let keychain = daemons
        if isThere { try keychain.device.createRecoveryKey(.random(), passcode: nil) }
        let pipe = Pipe()
        try StartupPasscode(from: descriptor("1234"))
            .unlock(keychain, log: DaemonLog(descriptor: pipe.fileHandleForWriting.fileDescriptor))
        try pipe.fileHandleForWriting.close()
        let log = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(log.contains("If it is not yours, replace it") == isThere, "\(log)")
        #expect(try keychain.device.status().hasPasscode)
    }

    @Test("a wrong passcode counts as an attempt, and leaves the keychain locked")
    func wrong() throws {
        try takeOver()
        try unlock(daemons, with: "1234")
        let keychain = daemons
        try unlock(keychain, with: "0000")
        let status = try keychain.device.status()
        #expect(status.isLocked && status.failedAttempts == 1)
    }

    @Test("a keychain with items and without a passcode is refused, and keeps having none")
    func itemsWithoutPasscode() throws {
        let embedded = EmbeddedKeychain(at: location)
        try NamedItems.add("anna", to: embedded)
        try takeOver()
        let keychain = daemons
        let failure = #expect(throws: DaemonFailure.self) { try unlock(keychain, with: "1234") }
        #expect(failure?.status == .failed && failure?.description.contains("no passcode") == true)
        #expect(try !keychain.device.status().hasPasscode)
    }

    @Test("an empty passcode, none, and a descriptor that is not open are refused before anything changes")
    func unreadable() throws {
        for descriptor in try [descriptor("\n"), descriptor(""), Int32.max] {
            let failure = #expect(throws: DaemonFailure.self) { _ = try StartupPasscode(from: descriptor) }
            #expect(failure?.status == .failed && failure?.description.contains("passcode") == true)
        }
    }
}
