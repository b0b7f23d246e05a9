// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainIdentity
import KeychainServer
import KeychainTestSupport
import LoginManager
import Testing

@testable import KeychainDaemon

/// Whom the daemon of keychain files serves, and when it locks them.
@Suite(.timeLimit(.minutes(10)))
struct FileServiceTests {
    private static let user: UInt32 = 1000

    private let folder: TemporaryFolder
    private let path: String
    private let files = KeychainFiles.forTesting()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "test.keychain")
        try files.files.create(at: path, password: SecretBytes([1]))
    }

    @Test(
        "Sleep locks a keychain whose settings say so, the end of the user's last session every one, a locked screen none",
        arguments: [
            (.goingToSleep, true, true), (.goingToSleep, false, false), (.loggedOut(user: user), true, true),
            (.loggedOut(user: user), false, true), (.loggedOut(user: 1001), true, false),
            (.locked(user: user), true, false), (.locked(user: nil), true, false),
            (.unlocked(user: user), true, false), (.wokeUp, true, false),
        ] as [(LoginEvent, Bool, Bool)]
    )
    func locks(event: LoginEvent, locksOnSleep: Bool, isLocked: Bool) throws {
        try files.files.setSettings(KeychainFileSettings(locksOnSleep: locksOnSleep), at: path)
        #expect(files.holdsUnlockedKeys)
        FileService.handle(event, of: Self.user, in: files)
        #expect(try files.files.status(at: path).isLocked == isLocked)
        #expect(files.holdsUnlockedKeys == !isLocked)
    }

    @Test("A program in a sandbox is refused, one outside is served", arguments: [true, false])
    func sandbox(_ isSandboxed: Bool) throws {
        let identity = ClientIdentity(isSandboxed ? .flatpak("org.example.App") : .anonymous)
        let life = DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
        let instance = ProcessInstance(identifier: 7, startTime: 1)
        let program = UserProgram(instance, as: identity, keychain: files, proofs: PasscodeProofs(), life: life)
        for action in [.status, .items, .lock, .unlock(password: SecretBytes([1]))] as [KeychainFileCommand.Action] {
            let command = KeychainCommand.files(.keychain(path: path, action))
            if isSandboxed {
                let error = #expect(throws: KeychainError.self) { try program.permitted(command) }
                #expect(error?.status == .missingEntitlement)
            } else {
                _ = try program.backend.perform(try program.permitted(command))
            }
        }
    }

    @Test("A daemon that holds unlocked keys is not idle, and is once the file was locked, or removed")
    func idleness() throws {
        let life = DaemonLife(endsWhenIdleFor: 0, holdsKeys: { [files] in files.holdsUnlockedKeys }, wake: {})
        #expect(!life.isIdle)
        try files.files.lockAll()
        #expect(life.isIdle)
        try files.files.unlock(at: path, password: SecretBytes([1]))
        #expect(!life.isIdle)
        try files.files.delete(at: path)
        #expect(life.isIdle)
    }
}
