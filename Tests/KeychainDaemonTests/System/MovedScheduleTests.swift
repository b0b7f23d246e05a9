// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// The secret of scheduled backups of a keychain that is moved into the system service, and out of it.
struct MovedScheduleTests {
    private typealias Scene = PartitionMoveScene

    private static let passcode = SecretBytes([1, 2, 3])
    /// What programs have read, or made, while the keychain was embedded.
    private static let known = SecretBytes(Array("known".utf8))
    private static let own = SecretBytes(Array("of the service".utf8))

    private let folder: TemporaryFolder
    private let location: KeychainLocation

    init() throws {
        folder = try TemporaryFolder()
        location = KeychainLocation(path: folder.path(of: "service"))
        #expect(mkdir(location.path, 0o700) == 0)
        try Scene.add("anna", to: user(.embedded))
    }

    private func user(_ owner: StoreOwner) -> EmbeddedKeychain {
        EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "own")), device: Scene.options(owner))
    }

    /// The service's keychain, opened again and unlocked.
    private func service() throws -> EmbeddedKeychain {
        let keychain = EmbeddedKeychain(at: location, device: Scene.options(.system))
        if try keychain.device.status().hasPasscode { try keychain.device.unlock(passcode: Self.passcode) }
        return keychain
    }

    /// The number of items of a scheduled backup that a secret opens; `nil` if none is made.
    private func backUp(_ keychain: EmbeddedKeychain, _ secret: SecretBytes) throws -> Int? {
        do throws(KeychainError) {
            let made = try keychain.maintenance.createBackup(BackupRequest(to: .reply, secret: .ofSchedule))
            let opened = try keychain.maintenance.mergeBackup(
                from: .contents(made.bytes ?? SecretBytes()),
                secret: secret,
                BackupMerge(isTrial: true)
            )
            return opened.equal
        } catch {
            #expect(error.status == .itemNotFound && error.reason.contains("--new-secret"))
            return nil
        }
    }

    private func moveIn() throws {
        try user(.embedded).handOver(to: .moving)
        let moving = user(.moving)
        var moves = PartitionMoves(of: location, Scene.service())
        _ = try moves.perform(.begin(Scene.move), by: Scene.mine)
        let steps: [StoreMove.Step] = [
            .receive(try moving.movedDevice()), .append(try moving.movedRows(after: nil)), .activate,
        ]
        for step in steps { _ = try moves.perform(Scene.step(step), by: Scene.mine) }
        try moving.empty(owner: .system, ifCopied: moving.movedCopy())
    }

    private func moveOut() throws {
        let mark = try user(.system).storeMark()
        var moves = PartitionMoves(of: location, Scene.service())
        _ = try moves.perform(.begin(Scene.move), by: Scene.mine)
        guard case .movedDevice(let device) = try moves.perform(Scene.step(.send), by: Scene.mine),
            case .movedRows(let rows) = try moves.perform(Scene.step(.rows(after: nil)), by: Scene.mine)
        else { throw Scene.Unexpected() }
        let own = KeychainLocation(path: folder.path(of: "own"))
        let incoming = try IncomingKeychain(in: own, device, Scene.options(.embedded))
        try incoming.append(rows)
        try incoming.finish()
        try user(.system).install(incoming, owner: .moving, replacing: mark)
        IncomingKeychain.remove(from: own)
        _ = try moves.perform(Scene.step(.remove(user(.moving).movedCopy())), by: Scene.mine)
        try user(.moving).handOver(to: .embedded)
    }

    @Test("a secret of before the move does not count in the service, whether or not a passcode came along")
    func movedIn() throws {
        try user(.embedded).maintenance.setBackupSecret(Self.known)
        #expect(try backUp(user(.embedded), Self.known) == 1)
        try moveIn()
        #expect(try backUp(service(), Self.known) == nil)
        try service().device.setPasscode(Self.passcode)
        #expect(try backUp(service(), Self.known) == nil)
    }

    @Test("in the service the one counts that it stored itself, also after it starts again, and until the next move")
    func roundTrip() throws {
        let embedded = user(.embedded)
        try embedded.device.setPasscode(Self.passcode)
        try embedded.maintenance.setBackupSecret(Self.known)
        #expect(try backUp(embedded, Self.known) == 1)
        try moveIn()
        #expect(try backUp(service(), Self.known) == nil)
        try service().maintenance.setBackupSecret(Self.own)
        #expect(try backUp(service(), Self.own) == 1)
        #expect(try backUp(service(), Self.own) == 1)

        try moveOut()
        let back = user(.embedded)
        try back.device.unlock(passcode: Self.passcode)
        #expect(try backUp(back, Self.own) == 1)
        // It has the identifier of the item that the service had stored.
        try moveIn()
        #expect(try backUp(service(), Self.own) == nil)
    }

    @Test("no secret outlasts an erasure of the service's keychain")
    func erased() throws {
        try moveIn()
        try service().device.setPasscode(Self.passcode)
        try service().maintenance.setBackupSecret(Self.own)
        #expect(try backUp(service(), Self.own) == 1)
        try service().device.erase()
        #expect(access("\(location.path)/backup-secret.mark", F_OK) != 0)
        let keychain = try service()
        try keychain.device.setPasscode(Self.passcode)
        #expect(try backUp(keychain, Self.own) == nil)
    }
}
