// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainCore
import KeychainServer
import KeychainTestSupport
import MessageBus
import Testing

@testable import KeychainSecretService

/// Programs that die between any two calls, and a bus that does.
@Suite(.timeLimit(.minutes(10)))
struct DeathTests {
    /// What a program has got from its calls.
    private final class Progress {
        let client: TestClient
        var session = ""
        var item = ""
        var prompt = ""

        init(_ client: TestClient) { self.client = client }
    }

    /// A person who answers, or who leaves questions open until they are cancelled.
    private struct Person: Sendable {
        let isAnswering: Bool
        let isAsked = DispatchSemaphore(value: 0)
        let isLeft = DispatchSemaphore(value: 0)

        var options: SecretServiceOptions {
            var options = SecretServiceOptions()
            // Those of a program that is gone must not count any more.
            options.limits.sessions = (total: 2, ofProcess: 2, ofConnection: 2)
            options.limits.prompts = (total: 2, ofProcess: 2, ofConnection: 2)
            options.prompter = { prompt in
                isAsked.signal()
                guard isAnswering else {
                    let isCancelled = DispatchSemaphore(value: 0)
                    prompt.cancellation.onCancel { isCancelled.signal() }
                    isCancelled.wait()
                    isLeft.signal()
                    return .dismissed
                }
                _ = try? prompt.connection.perform(.device(.unlock(SecretBytes(Array("1234".utf8)))))
                return .done(nil)
            }
            return options
        }
    }

    private typealias Step = @Sendable (Progress) throws -> Void

    /// What a program that was made with libsecret calls to store and read an item of a locked keychain; it is locked
    /// up to the answer to the prompt, which is the seventh step.
    private static let steps: [Step] = [
        { _ = try $0.client.paths("Collections", of: TestClient.root, .service) },
        { $0.session = try $0.client.openSession(try KeyPair().published).path },
        { $0.session = try $0.client.openSession() },
        { _ = try $0.client.search(["a": "b"]) },
        { $0.prompt = try $0.client.change("Unlock", [TestClient.byDefault]).prompt },
        { progress in
            // A question of the program before may have unlocked it just now.
            guard progress.prompt != "/" else { return }
            try progress.client.send(progress.prompt, of: .prompt, calling: "Prompt") { call throws(BusError) in
                try call.append("")
            }
        },
        { if $0.prompt != "/" { while try $0.client.nextSignal()?.name != "Completed" {} } },
        { $0.item = try $0.client.store(["a": "b"], "secret", session: $0.session) },
        { _ = try $0.client.search(["a": "b"]) },
        { _ = try $0.client.attributes(of: $0.item) },
        { _ = try $0.client.change("Unlock", [$0.item]) },
        { _ = try $0.client.secrets([$0.item], session: $0.session) },
        { try $0.client.setSecret($0.item, SentSecret(plain: "another", session: $0.session)) },
        { try $0.client.set("Label", of: $0.item, .item, to: .text("another")) },
        { try $0.client.delete($0.item) },
        { try $0.client.send($0.session, of: .session, calling: "Close") },
    ]

    @Test("a program that dies between any two calls leaves nothing behind", arguments: 0...steps.count)
    func everyCall(_ count: Int) throws {
        let person = Person(isAnswering: true)
        let front = try TestFront(passcode: "1234", person.options)
        for _ in 0..<3 {
            try front.keychain.device.lock()
            let progress = Progress(try front.client())
            for step in Self.steps.prefix(count) { try step(progress) }
        }
        let other = try front.client()
        let expected = (8...14).contains(count) ? 1 : 0
        #expect(try other.search([:]).open.count + other.search([:]).locked.count == expected)
        _ = try other.change("Lock", [TestClient.login])
        let last = Progress(other)
        for step in Self.steps { try step(last) }
    }

    @Test("the question of a program that dies while it is open ends, and another program's is asked")
    func openPrompt() throws {
        let person = Person(isAnswering: false)
        let front = try TestFront(passcode: "1234", person.options)
        for _ in 0..<8 {
            let progress = Progress(try front.client())
            for step in Self.steps.prefix(6) { try step(progress) }
            #expect(person.isAsked.wait(timeout: .now() + .seconds(120)) == .success)
        }
        for _ in 0..<8 { #expect(person.isLeft.wait(timeout: .now() + .seconds(120)) == .success) }
    }

    @Test(
        "a bus that dies and comes back: the service is there again, sessions and prompts are not, changes are announced"
    )
    func bus() throws {
        let (isServing, isGone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var options = Person(isAnswering: false).options
        options.stateChanged = { state in
            switch state {
            case .serving: isServing.signal()
            case .noBus: isGone.signal()
            case .starting, .waiting: break
            }
        }
        let front = try TestFront(passcode: "1234", options)
        isServing.wait()
        for _ in 0..<3 {
            let old = Progress(try front.client())
            for step in Self.steps.prefix(6) { try step(old) }
            try front.bus.restart()
            #expect(isGone.wait(timeout: .now() + .seconds(120)) == .success)
            #expect(isServing.wait(timeout: .now() + .seconds(120)) == .success)
            // It has the unique name of the former one: the bus counts from the beginning.
            let new = try front.client()
            let noSession = "org.freedesktop.Secret.Error.NoSession"
            #expect(try refusal { _ = try new.secrets([], session: old.session) } == noSession)
            #expect(try refusal { try new.send(old.session, of: .session, calling: "Close") } == noSession)
            #expect(
                try refusal { try new.send(old.prompt, of: .prompt, calling: "Dismiss") }
                    == "org.freedesktop.Secret.Error.NoSuchObject"
            )
            for _ in 0..<2 { _ = try new.openSession() }
            front.keychain.announce(.unknown)
            #expect(try new.nextSignal()?.name == "CollectionChanged")
        }
    }

    @Test("a second service of this kind waits for the name, gets it after the first one, and replaces nobody")
    func second() throws {
        let bus = try PrivateBus()
        let isServing = DispatchSemaphore(value: 0)
        var options = SecretServiceOptions()
        options.stateChanged = { if $0 == .serving { isServing.signal() } }
        let second: TestFront<LookupKeychain>
        let client: TestClient
        do {
            let first = try TestFront(of: LookupKeychain(), on: bus)
            second = try TestFront(of: LookupKeychain(), on: bus, options, until: .waiting("process \(getpid())"))
            client = try first.client()
            _ = try client.store(["a": "b"], "secret", session: try client.openSession())
            #expect(first.keychain.count == 1 && second.keychain.count == 0)
            first.front.stop()
        }
        #expect(isServing.wait(timeout: .now() + .seconds(120)) == .success)
        let other = try second.client()
        _ = try other.store(["a": "b"], "secret", session: try other.openSession())
        #expect(second.keychain.count == 1)
        withExtendedLifetime(client) {}
    }
}
