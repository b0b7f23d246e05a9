// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainServer
import KeychainTestSupport
import MessageBus
import Synchronization
import Testing

@testable import KeychainSecretService

/// Locked keychains and items, and the prompts that open them.
@Suite(.timeLimit(.minutes(5)))
struct LockTests {
    private static let passcode = SecretBytes(Array("1234".utf8))
    private static let isLocked = "org.freedesktop.Secret.Error.IsLocked"

    /// A person who answers when a test says so.
    private final class Person: Sendable {
        let asked = Mutex<[UnlockPrompt]>([])
        let isRefusing = Mutex(false)
        private let isAsked = DispatchSemaphore(value: 0)
        /// What was answered before the person was asked counts for the next question.
        private let answers = Mutex((count: 0, waiting: [DispatchSemaphore]()))

        /// Whether the person is asked within two minutes.
        var wasAsked: Bool { isAsked.wait(timeout: .now() + .seconds(120)) == .success }

        /// Answers one question.
        func answer() {
            let waiting = answers.withLock { answers in
                answers.count += 1
                return answers.waiting
            }
            for one in waiting { one.signal() }
        }

        /// Waits for an answer; `false` if the question is cancelled.
        private func waitForAnswer(_ cancellation: PromptCancellation) -> Bool {
            let wake = DispatchSemaphore(value: 0)
            answers.withLock { $0.waiting.append(wake) }
            cancellation.onCancel { wake.signal() }
            while true {
                if cancellation.isCancelled { return false }
                let isAnswered = answers.withLock { answers in
                    defer { answers.count = max(0, answers.count - 1) }
                    return answers.count > 0
                }
                if isAnswered { return true }
                wake.wait()
            }
        }

        var options: SecretServiceOptions {
            var options = SecretServiceOptions()
            options.prompter = { [self] prompt in
                asked.withLock { $0.append(prompt) }
                isAsked.signal()
                guard waitForAnswer(prompt.cancellation), !isRefusing.withLock(\.self) else { return .dismissed }
                guard prompt.kind == .keychain else { return .done(AuthenticationContext()) }
                _ = try? prompt.connection.perform(.device(.unlock(LockTests.passcode)))
                return .done(nil)
            }
            return options
        }
    }

    /// A front whose keychain has a passcode, and is not locked.
    private static func unlocked(_ options: SecretServiceOptions) throws -> TestFront<LookupKeychain> {
        let keychain = LookupKeychain(passcode: "1234")
        try keychain.device.unlock(passcode: passcode)
        return try TestFront(of: keychain, options)
    }

    /// A front whose keychain has a passcode, one item, and is locked.
    private static func locked(
        _ options: SecretServiceOptions
    ) throws -> (TestFront<LookupKeychain>, TestClient, item: String) {
        let front = try unlocked(options)
        let client = try front.client()
        let item = try client.store(["a": "b"], "secret", session: try client.openSession())
        #expect(try client.nextSignal()?.name == "ItemCreated")
        #expect(try client.change("Lock", [TestClient.byDefault]) == ([TestClient.byDefault], "/"))
        #expect(try client.nextSignal() == Self.lockChange)
        #expect(try client.nextSignal()?.name == "CollectionChanged")
        return (front, client, item)
    }

    private static let lockChange = TestClient.Received(
        name: "PropertiesChanged",
        path: TestClient.login,
        content: "Locked"
    )

    @Test("what is locked is found, and neither read nor changed")
    func locked() throws {
        let (_, client, item) = try Self.locked(SecretServiceOptions())
        let session = try client.openSession()
        #expect(try client.search(["a": "b"]) == ([], [item]))
        #expect(try client.boolean("Locked", of: TestClient.byDefault, .collection))
        #expect(try client.boolean("Locked", of: item, .item))
        #expect(try client.secrets([item], session: session) == [:])
        #expect(try refusal { _ = try client.secret(item, session: session) } == Self.isLocked)
        #expect(try refusal { _ = try client.store(["c": "d"], "x", session: session) } == Self.isLocked)
        #expect(try refusal { try client.setSecret(item, SentSecret(plain: "x", session: session)) } == Self.isLocked)
        #expect(try refusal { try client.set("Label", of: item, .item, to: .text("x")) } == Self.isLocked)
        #expect(try refusal { try client.delete(item) } == Self.isLocked)
    }

    @Test("where nobody can be asked, a prompt is dismissed at once, with a value of the type of those that are not")
    func nobody() throws {
        let (_, client, item) = try Self.locked(SecretServiceOptions())
        let (open, prompt) = try client.change("Unlock", [item, "\(TestClient.root)/collection/session"])
        #expect(open == ["\(TestClient.root)/collection/session"])
        try client.show(prompt)
        #expect(try client.nextSignal() == .init(name: "Completed", path: prompt, content: "dismissed "))
        let again = try refusal {
            try client.show(prompt)
        }
        #expect(again == "org.freedesktop.Secret.Error.NoSuchObject", "it serves once")
    }

    @Test("a prompt opens what was asked for, which is told first, and with the paths as they were asked for")
    func unlock() throws {
        let person = Person()
        let (_, client, item) = try Self.locked(person.options)
        let (open, prompt) = try client.change("Unlock", [TestClient.byDefault, item])
        #expect(open == [])
        try client.show(prompt)
        #expect(person.wasAsked)
        person.answer()
        #expect(try client.nextSignal() == Self.lockChange)
        #expect(try client.nextSignal()?.name == "CollectionChanged")
        let content = "done \(TestClient.byDefault) \(item)"
        #expect(try client.nextSignal() == .init(name: "Completed", path: prompt, content: content))
        #expect(try client.secrets([item], session: try client.openSession()) == [item: Array("secret".utf8)])
        #expect(try client.change("Unlock", [item, TestClient.byDefault]) == ([item, TestClient.byDefault], "/"))
    }

    @Test("an item of which nothing was told while it was locked is shown before the prompt is completed")
    func hidden() throws {
        let person = Person()
        let (front, client, item) = try Self.locked(person.options)
        let identifier = try #require(ItemIdentifier(ofPath: item))
        front.keychain.hide(identifier)
        #expect(try client.attributes(of: item) == [])
        let prompt = try client.change("Unlock", [item]).prompt
        try client.show(prompt)
        person.answer()
        let names = try (0..<4).map { _ in try client.nextSignal() }
        #expect(names.map { $0?.name } == ["PropertiesChanged", "CollectionChanged", "PropertiesChanged", "Completed"])
        #expect(names[2] == .init(name: "PropertiesChanged", path: item, content: "Locked Attributes Label"))
    }

    @Test("an item that was changed while nothing was told of it is shown as a whole once it is unlocked")
    func changedWhileHidden() throws {
        let front = try Self.unlocked(SecretServiceOptions())
        let client = try front.client()
        let item = try client.store(["a": "b"], "secret", session: try client.openSession())
        let identifier = try #require(ItemIdentifier(ofPath: item))
        front.keychain.hide(identifier)
        #expect(try client.nextSignal()?.name == "ItemCreated")
        try client.readAll(item, .item)
        try front.keychain.device.lock()
        #expect(try client.nextSignal() == Self.lockChange)
        #expect(try client.nextSignal()?.name == "CollectionChanged")
        #expect(try client.nextSignal() == .init(name: "PropertiesChanged", path: item, content: "Locked"))
        let items = ChangedItems(.genericPassword, in: Client.commonGroup)
        front.keychain.announce(ItemChangeNotice([ItemChange(.changed, identifier, of: items)]))
        #expect(try client.nextSignal()?.name == "ItemChanged")
        #expect(try client.nextSignal()?.content == "Label Attributes Modified")
        try front.keychain.device.unlock(passcode: Self.passcode)
        #expect(try client.nextSignal() == Self.lockChange)
        #expect(try client.nextSignal()?.name == "CollectionChanged")
        #expect(try client.nextSignal()?.content == "Locked Attributes Label")
    }

    @Test("an item that is locked by itself is opened by a prompt of its own, for this program alone")
    func item() throws {
        let person = Person()
        let front = try TestFront(person.options)
        let (client, other) = (try front.client(), try front.client())
        let session = try client.openSession()
        let item = try client.store(["a": "b"], "secret", session: session)
        let identifier = try #require(ItemIdentifier(ofPath: item))
        front.keychain.lock(identifier)
        #expect(try client.nextSignal()?.name == "ItemCreated")
        #expect(try client.search([:]) == ([], [item]))
        let prompt = try client.change("Unlock", [item]).prompt
        try client.show(prompt)
        person.answer()
        #expect(try client.nextSignal() == .init(name: "Completed", path: prompt, content: "done \(item)"))
        #expect(person.asked.withLock { $0.map(\.kind) } == [.items([identifier])])
        #expect(try client.search([:]) == ([item], []))
        #expect(try client.secret(item, session: session).coded.value == SecretBytes(Array("secret".utf8)))
        #expect(try other.search([:]) == ([], [item]))
        #expect(try client.change("Lock", [item]) == ([item], "/"))
        #expect(try client.search([:]) == ([], [item]))
    }

    @Test("one prompt opens the keychain, and then an item that is locked by itself")
    func itemOfLockedKeychain() throws {
        let person = Person()
        let (front, client, item) = try Self.locked(person.options)
        front.keychain.lock(try #require(ItemIdentifier(ofPath: item)))
        let prompt = try client.change("Unlock", [item]).prompt
        try client.show(prompt)
        person.answer()
        person.answer()
        var last: TestClient.Received?
        while let signal = try client.nextSignal() {
            last = signal
            if signal.name == "Completed" { break }
        }
        #expect(last == .init(name: "Completed", path: prompt, content: "done \(item)"))
        #expect(person.asked.withLock { $0.count } == 2)
        #expect(try client.secrets([item], session: try client.openSession()).count == 1)
    }

    @Test("a prompt that is dismissed before or while it is shown ends once, and the question with it")
    func dismiss() throws {
        let person = Person()
        let (_, client, item) = try Self.locked(person.options)
        for isShown in [false, true] {
            let prompt = try client.change("Unlock", [item]).prompt
            if isShown {
                try client.show(prompt)
                #expect(person.wasAsked)
                let again = try refusal {
                    try client.show(prompt)
                }
                #expect(again == "org.freedesktop.DBus.Error.Failed", "it is shown already")
            }
            try client.send(prompt, of: .prompt, calling: "Dismiss")
            #expect(try client.nextSignal() == .init(name: "Completed", path: prompt, content: "dismissed "))
            #expect(try refusal { try client.send(prompt, of: .prompt, calling: "Dismiss") } != nil)
        }
        #expect(person.asked.withLock { $0.allSatisfy { $0.cancellation.isCancelled } })
        // No signal of the answer to the dismissed question comes before the next one.
        let next = try client.change("Unlock", [item]).prompt
        try client.send(next, of: .prompt, calling: "Dismiss")
        #expect(try client.nextSignal()?.path == next)
    }

    @Test("a lock and an unlock through another door are announced to all, with the items that a program has read of")
    func otherDoor() throws {
        let (front, client, item) = try Self.locked(SecretServiceOptions())
        let other = try front.client()
        #expect(try client.boolean("Locked", of: item, .item))
        let itemChange = TestClient.Received(name: "PropertiesChanged", path: item, content: "Locked")
        for isLocked in [false, true, false] {
            if isLocked {
                try front.keychain.device.lock()
            } else {
                try front.keychain.device.unlock(passcode: Self.passcode)
            }
            #expect(try client.nextSignal() == Self.lockChange)
            #expect(try client.nextSignal()?.name == "CollectionChanged")
            #expect(try client.nextSignal() == itemChange)
            #expect(try client.boolean("Locked", of: item, .item) == isLocked)
            #expect(try other.nextSignal() == Self.lockChange)
            #expect(try other.nextSignal()?.name == "CollectionChanged")
        }
        // No item that it has not read of, and none that is there no more.
        try client.delete(item)
        #expect(try client.nextSignal()?.name == "ItemDeleted")
        #expect(try other.nextSignal()?.name == "ItemDeleted")
        try front.keychain.device.lock()
        #expect(try client.nextSignal() == Self.lockChange)
        #expect(try client.nextSignal()?.name == "CollectionChanged")
        front.keychain.announce(.unknown)
        #expect(try client.nextSignal()?.name == "CollectionChanged")
    }

    @Test("a prompt whose keychain is unlocked otherwise meanwhile completes, and its question ends")
    func unlockedMeanwhile() throws {
        let person = Person()
        let (front, client, item) = try Self.locked(person.options)
        let other = try front.client()
        let prompts = try [client, other].map { client in
            let prompt = try client.change("Unlock", [item]).prompt
            try client.show(prompt)
            #expect(person.wasAsked)
            return prompt
        }
        // One answer is enough for both.
        person.answer()
        for (client, prompt) in zip([client, other], prompts) {
            #expect(try client.nextSignal() == Self.lockChange)
            #expect(try client.nextSignal()?.name == "CollectionChanged")
            #expect(try client.nextSignal() == .init(name: "Completed", path: prompt, content: "done \(item)"))
        }
        #expect(person.asked.withLock { $0.count } == 2)
    }

    @Test("a thousand prompts that are not shown keep nobody from being asked")
    func manyPrompts() throws {
        let person = Person()
        var options = person.options
        options.limits.prompts = (total: 1_001, ofProcess: 1_001, ofConnection: 1_000)
        let (front, client, item) = try Self.locked(options)
        for _ in 0..<1_000 { #expect(try client.change("Unlock", [item]).prompt != "/") }
        let other = try front.client()
        let prompt = try other.change("Unlock", [item]).prompt
        let error = try refusal { _ = try front.client().change("Unlock", [item]) }
        #expect(error == "org.freedesktop.DBus.Error.LimitsExceeded")
        try other.show(prompt)
        person.answer()
        #expect(try other.nextSignal() == Self.lockChange)
        #expect(try other.nextSignal()?.name == "CollectionChanged")
        #expect(try other.nextSignal() == .init(name: "Completed", path: prompt, content: "done \(item)"))
    }

    @Test("what was opened by itself is locked with the keychain, and is told")
    func itemWithKeychain() throws {
        let person = Person()
        let front = try Self.unlocked(person.options)
        let client = try front.client()
        let item = try client.store(["a": "b"], "secret", session: try client.openSession())
        let identifier = try #require(ItemIdentifier(ofPath: item))
        front.keychain.lock(identifier)
        #expect(try client.boolean("Locked", of: item, .item))
        let itemChange = TestClient.Received(name: "PropertiesChanged", path: item, content: "Locked")
        let prompt = try client.change("Unlock", [item]).prompt
        try client.show(prompt)
        person.answer()
        #expect(try client.nextSignal()?.name == "ItemCreated")
        #expect(try client.nextSignal() == itemChange)
        #expect(try client.nextSignal() == .init(name: "Completed", path: prompt, content: "done \(item)"))
        try front.keychain.device.lock()
        #expect(try client.nextSignal() == Self.lockChange)
        #expect(try client.nextSignal()?.name == "CollectionChanged")
        #expect(try client.nextSignal() == itemChange)
        try front.keychain.device.unlock(passcode: Self.passcode)
        #expect(try client.nextSignal() == Self.lockChange)
        #expect(try client.search([:]) == ([], [item]), "it is opened by another prompt only")
        #expect(try front.client().search([:]) == ([], [item]))
    }

    @Test("a person who refuses dismisses the prompt")
    func refuse() throws {
        let person = Person()
        person.isRefusing.withLock { $0 = true }
        let (_, client, item) = try Self.locked(person.options)
        let prompt = try client.change("Unlock", [item]).prompt
        try client.show(prompt)
        person.answer()
        #expect(try client.nextSignal() == .init(name: "Completed", path: prompt, content: "dismissed "))
    }

    @Test("another connection can neither show nor dismiss a prompt, and is not told how it ends")
    func foreignPrompt() throws {
        let person = Person()
        let (front, client, item) = try Self.locked(person.options)
        let other = try front.client()
        let prompt = try client.change("Unlock", [item]).prompt
        let shown = try refusal {
            try other.show(prompt)
        }
        #expect(shown == "org.freedesktop.Secret.Error.NoSuchObject")
        #expect(try refusal { try other.send(prompt, of: .prompt, calling: "Dismiss") } == shown)
        try client.send(prompt, of: .prompt, calling: "Dismiss")
        #expect(try client.nextSignal()?.path == prompt)
        front.keychain.announce(.unknown)
        #expect(try other.nextSignal()?.name == "CollectionChanged")
    }

    @Test("a prompt of a program that is gone ends, and one that is shown delays nobody else's")
    func goneProgram() throws {
        let person = Person()
        let (front, client, item) = try Self.locked(person.options)
        do {
            let gone = try front.client()
            let prompt = try gone.change("Unlock", [item]).prompt
            try gone.show(prompt)
            #expect(person.wasAsked)
            let other = try client.change("Unlock", [item]).prompt
            try client.show(other)
            #expect(person.wasAsked, "both are asked at the same time")
            try client.send(other, of: .prompt, calling: "Dismiss")
            #expect(try client.nextSignal()?.path == other)
        }
        let isEnded = DispatchSemaphore(value: 0)
        let first = try #require(person.asked.withLock { $0.first })
        first.cancellation.onCancel { isEnded.signal() }
        #expect(isEnded.wait(timeout: .now() + .seconds(120)) == .success)
    }

    @Test("open prompts of one connection are limited, and others are served")
    func limit() throws {
        var options = SecretServiceOptions()
        options.limits.prompts = (total: 100, ofProcess: 10, ofConnection: 2)
        let (front, client, item) = try Self.locked(options)
        let prompts = try (0..<2).map { _ in try client.change("Unlock", [item]).prompt }
        let error = try refusal { _ = try client.change("Unlock", [item]) }
        #expect(error == "org.freedesktop.DBus.Error.LimitsExceeded")
        #expect(try front.client().change("Unlock", [item]).prompt != "/")
        try client.send(prompts[0], of: .prompt, calling: "Dismiss")
        #expect(try client.change("Unlock", [item]).prompt != "/")
    }
}
