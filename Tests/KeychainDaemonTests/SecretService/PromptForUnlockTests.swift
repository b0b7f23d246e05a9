// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainSecretService
import KeychainServer
import KeychainTestSupport
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

/// What the user is asked when a program of the bus has something unlocked.
@Suite(.timeLimit(.minutes(5)))
struct PromptForUnlockTests {
    private static let passcode = SecretBytes(Array("1234".utf8))
    private static let wrong = SecretBytes(Array("0000".utf8))

    private let keychain: EmbeddedKeychain
    private let server: TestServer
    private let connection: FrontConnection

    init() throws {
        var device = DeviceOptions.withNegligibleWork
        device.authenticator = CallAuthenticator()
        keychain = EmbeddedKeychain.inMemory(device: device)
        try keychain.device.setPasscode(Self.passcode)
        try keychain.device.lock()
        server = try TestServer(keychain)
        let peer = OpenPeer(process: ProcessInstance(identifier: getpid(), startTime: 0), backend: keychain)
        connection = try #require(server.server).connect(peer, of: getuid())
    }

    /// The words of the question for a program, up to the name of what it needs.
    private func words(_ name: String?) throws -> [String] {
        var peer = OpenPeer(process: ProcessInstance(identifier: getpid(), startTime: 0), backend: keychain)
        peer.programName = name
        let connection = try #require(server.server).connect(peer, of: getuid())
        let person = ScriptedAuthenticator { _ in .cancelled }
        let asker = PromptForUnlock(with: person)
        let file = LockedFile(password: Self.passcode)
        _ = asker.answer(
            UnlockPrompt(.keychain, for: connection, cancellation: .init())
        )
        _ = asker.answer(
            UnlockPrompt(.password(ofCollection: "k"), for: connection, opening: file.lock(), cancellation: .init())
        )
        _ = asker.answer(UnlockPrompt(.newPassword(ofCollection: "k"), for: connection, cancellation: .init()))
        return person.prompts.map(\.reason)
    }

    @Test("a question names the program, without what a terminal would obey, and not at any length")
    func name() throws {
        let after = [
            " needs the keychain, which is locked.", " needs the keychain 'k', which is locked.",
            " creates the keychain 'k'.",
        ]
        #expect(try words(nil) == after.map { "A program\($0)" })
        #expect(try words("/usr/bin/secret-tool") == after.map { "'/usr/bin/secret-tool'\($0)" })
        #expect(try words("/tmp/a\u{1B}[2J\nb") == after.map { "'/tmp/a\u{FFFD}[2J\u{FFFD}b'\($0)" })
        let long = String(repeating: "e\u{301}", count: 1_000)
        #expect(try words(long) == after.map { "'\(String(repeating: "e\u{301}", count: 100))…'\($0)" })
    }

    private func prompt(
        _ kind: UnlockPrompt.Kind = .keychain,
        opening lock: PasswordLock? = nil,
        until cancellation: PromptCancellation = PromptCancellation()
    ) -> UnlockPrompt {
        UnlockPrompt(kind, for: connection, opening: lock, cancellation: cancellation)
    }

    private func isDone(_ answer: UnlockAnswer) -> Bool { if case .done = answer { true } else { false } }

    @Test("the passcode unlocks the keychain, also at the second and third try")
    func unlock() throws {
        let words = Mutex([Self.wrong, SecretBytes(), Self.passcode])
        let person = ScriptedAuthenticator { _ in .secret(words.withLock { $0.removeFirst() }) }
        #expect(isDone(PromptForUnlock(with: person).answer(prompt())))
        #expect(try !keychain.device.status().isLocked)
        #expect(person.prompts.map(\.problem) == [nil, "Wrong passcode. Try again.", "Wrong passcode. Try again."])
    }

    @Test("three wrong passcodes dismiss the prompt, and count as three attempts")
    func wrong() throws {
        let person = ScriptedAuthenticator { _ in .secret(Self.wrong) }
        #expect(!isDone(PromptForUnlock(with: person).answer(prompt())))
        let status = try keychain.device.status()
        #expect(status.isLocked && status.failedAttempts == 3 && person.prompts.count == 3)
    }

    @Test("after too many, the question says how long no passcode is looked at, which no prompt shortens")
    func delay() throws {
        let person = ScriptedAuthenticator { _ in .secret(Self.wrong) }
        let asker = PromptForUnlock(with: person)
        #expect(!isDone(asker.answer(prompt())))
        #expect(!isDone(asker.answer(prompt())))
        #expect(try keychain.device.status().failedAttempts == 5)
        let problems = person.prompts.map(\.problem)
        #expect(problems.last == "Wrong passcode. Try again in 60 seconds.")
        person.setAnswer { _ in .secret(Self.passcode) }
        #expect(!isDone(asker.answer(prompt())))
        #expect(person.prompts.last?.problem?.hasPrefix("Too many wrong passcodes. Try again in ") == true)
        #expect(try keychain.device.status().isLocked)
        // So does one for items.
        let before = person.prompts.count
        #expect(!isDone(asker.answer(prompt(.items([.random()])))))
        #expect(person.prompts.count > before)
        #expect(person.prompts.last?.problem?.hasPrefix("Too many wrong passcodes.") == true)
    }

    @Test("a keychain that was unlocked before the question is asked is not asked for")
    func unlockedBefore() throws {
        try keychain.device.unlock(passcode: Self.passcode)
        let person = ScriptedAuthenticator()
        #expect(isDone(PromptForUnlock(with: person).answer(prompt())))
        #expect(person.prompts.isEmpty)
    }

    @Test("a question ends with its prompt, also one for items", arguments: [true, false])
    func end(isKeychainLocked: Bool) throws {
        if !isKeychainLocked { try keychain.device.unlock(passcode: Self.passcode) }
        let isAsked = DispatchSemaphore(value: 0)
        let person = ScriptedAuthenticator { prompt in
            let isOver = DispatchSemaphore(value: 0)
            prompt.cancellation.onCancel { isOver.signal() }
            isAsked.signal()
            return isOver.wait(timeout: .now() + 120) == .success ? .ended : .secret(Self.passcode)
        }
        let cancellation = PromptCancellation()
        Thread.detachNewThread {
            isAsked.wait()
            cancellation.cancel()
        }
        let question = prompt(isKeychainLocked ? .keychain : .items([.random()]), until: cancellation)
        #expect(!isDone(PromptForUnlock(with: person).answer(question)))
        #expect(person.prompts.count == 1)
    }

    @Test("items are opened with a context in which the owner has entered the passcode")
    func items() throws {
        try keychain.device.unlock(passcode: Self.passcode)
        let person = ScriptedAuthenticator { _ in .secret(Self.passcode) }
        let answer = PromptForUnlock(with: person).answer(prompt(.items([.random()])))
        guard case .done(let context?) = answer else {
            Issue.record("no context")
            return
        }
        #expect(keychain.authentication.status(of: context.identifier).shown == [.passcode])
    }

    @Test("the password of a keychain file is verified, and asked for again with what was wrong")
    func password() throws {
        let file = LockedFile(password: Self.passcode)
        let words = Mutex([Self.wrong, Self.passcode])
        let person = ScriptedAuthenticator { _ in .secret(words.withLock { $0.removeFirst() }) }
        let asker = PromptForUnlock(with: person)
        #expect(isDone(asker.answer(prompt(.password(ofCollection: "work"), opening: file.lock()))))
        #expect(person.prompts.map(\.kind) == [.passcode, .passcode])
        #expect(person.prompts.map(\.problem) == [nil, "Wrong."])
        #expect(person.prompts.allSatisfy { $0.reason.contains("'work'") })
        #expect(isDone(asker.answer(prompt(.password(ofCollection: "work"), opening: file.lock()))), "it is open")
        #expect(person.prompts.count == 2)
        #expect(try keychain.device.status().failedAttempts == 0)
    }

    @Test("a new password is asked for as such")
    func newPassword() {
        let person = ScriptedAuthenticator { _ in .secret(Self.wrong) }
        guard
            case .password(Self.wrong) = PromptForUnlock(with: person).answer(
                prompt(.newPassword(ofCollection: "work"))
            )
        else {
            Issue.record("no password")
            return
        }
        #expect(person.prompts.map(\.kind) == [.newApplicationPassword])
        #expect(person.prompts.allSatisfy { $0.reason.contains("'work'") })
    }

    @Test("a prompt at a terminal has its turn until the password of a keychain file was verified")
    func turn() {
        let file = LockedFile(password: Self.passcode)
        let person = ScriptedAuthenticator { _ in .secret(Self.passcode) }
        let asker = PromptForUnlock(with: person, on: 1)
        let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let other = prompt(.password(ofCollection: "work"), opening: file.lock())
        let first = file.lock {
            Thread.detachNewThread {
                hasBegun.signal()
                _ = asker.answer(other)
                hasEnded.signal()
            }
            hasBegun.wait()
            #expect(hasEnded.wait(timeout: .now() + .milliseconds(200)) == .timedOut, "it has its turn later")
        }
        #expect(isDone(asker.answer(prompt(.password(ofCollection: "work"), opening: first))))
        hasEnded.wait()
        #expect(person.prompts.count == 1)
    }

    @Test("where nobody can be asked, a prompt is dismissed at once")
    func nobody() {
        #expect(!isDone(PromptForUnlock(with: NoAuthenticator()).answer(prompt())))
    }
}

/// A keychain file with a password.
private final class LockedFile: Sendable {
    private let password: SecretBytes
    private let isOpen = Mutex(false)

    init(password: SecretBytes) { self.password = password }

    /// Its lock; `isTried` is called before a password is verified.
    func lock(_ isTried: @escaping @Sendable () -> Void = {}) -> PasswordLock {
        PasswordLock(
            state: { [self] in isOpen.withLock(\.self) ? .open : .locked(problem: nil) },
            unlock: { [self] typed throws(KeychainError) in
                isTried()
                guard typed == password else { throw KeychainError(.authenticationFailed, "it is another one") }
                isOpen.withLock { $0 = true }
            },
            problem: { _ in "Wrong." }
        )
    }
}

/// Prompts at one terminal, which come one after the other.
@Suite(.timeLimit(.minutes(5)))
struct PromptTurnsTests {
    @Test("one terminal is for one prompt at a time, and delays no other; a prompt that ends gives up its place")
    func turns() {
        let turns = PromptTurns()
        let (hasBegun, mayEnd, hasEnded) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        Thread.detachNewThread {
            _ = turns.wait(for: 1, PromptCancellation()) {
                hasBegun.signal()
                mayEnd.wait()
            }
        }
        hasBegun.wait()
        #expect(turns.wait(for: 2, PromptCancellation()) { true } == true)
        let cancelled = PromptCancellation()
        let order = Mutex<[Int]>([])
        for (number, cancellation) in [cancelled, PromptCancellation()].enumerated() {
            Thread.detachNewThread {
                let answer: Void? = turns.wait(for: 1, cancellation) { order.withLock { $0.append(number) } }
                if answer == nil { order.withLock { $0.append(-1) } }
                hasEnded.signal()
            }
        }
        cancelled.cancel()
        hasEnded.wait()
        #expect(order.withLock(\.self) == [-1])
        mayEnd.signal()
        hasEnded.wait()
        #expect(order.withLock(\.self) == [-1, 1])
        #expect(turns.wait(for: 1, PromptCancellation()) { true } == true)
        #expect(turns.wait(for: 1, cancelled) { true } == nil)
    }
}
