// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainCore
import KeychainSecretService
import KeychainTestSupport
import MessageBus
import Testing

/// The front as a whole: its name, its bus, and programs that are slow or ask too much.
@Suite(.timeLimit(.minutes(5)))
struct FrontStateTests {
    private static let name = "org.freedesktop.secrets"

    @Test("while another program has the name, it is named, and the service gets the name afterwards")
    func ownedName() throws {
        let bus = try PrivateBus()
        let isServing = DispatchSemaphore(value: 0)
        var options = SecretServiceOptions()
        options.stateChanged = { if $0 == .serving { isServing.signal() } }
        let front: TestFront<LookupKeychain>
        do {
            let other = try Bus(address: bus.address)
            #expect(try other.requestName(Self.name))
            front = try TestFront(of: LookupKeychain(), on: bus, options, until: .waiting("process \(getpid())"))
            withExtendedLifetime(other) {}
        }
        #expect(isServing.wait(timeout: .now() + .seconds(120)) == .success)
        _ = try front.client().openSession()
    }

    @Test("the end of the bus is told, and stops nothing else")
    func endOfBus() throws {
        let isGone = DispatchSemaphore(value: 0)
        var options = SecretServiceOptions()
        options.stateChanged = { if case .noBus = $0 { isGone.signal() } }
        let front = try TestFront(of: LookupKeychain(), options)
        let client = try front.client()
        _ = try client.openSession()
        front.bus.stop()
        #expect(isGone.wait(timeout: .now() + .seconds(120)) == .success)
        front.keychain.announce(.unknown)
        #expect(front.keychain.count == 0)
        front.front.stop()
    }

    @Test("a bus that has ended is tried again at once, and then after longer and longer pauses")
    func pauses() {
        var (pauses, others) = (RetryPauses.none, RetryPauses())
        #expect([0, 500, 1_000, 2_000] == (0..<4).map { _ in pauses.next() })
        #expect([500, 1_000] == (0..<2).map { _ in others.next() })
    }

    @Test("a program whose call takes long delays no other one, and its calls are answered in their order")
    func slowProgram() throws {
        let front = try TestFront()
        let (slow, other) = (try front.client(), try front.client())
        let session = try slow.openSession()
        let item = try slow.store(["a": "b"], "secret", session: session)
        let (begun, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        front.keychain.delaySearches {
            begun.signal()
            goesOn.wait()
        }
        let number = try slow.sendSearch()
        begun.wait()
        front.keychain.delaySearches(nil)
        #expect(try other.secrets([item], session: try other.openSession()) == [item: Array("secret".utf8)])
        goesOn.signal()
        // It was sent later, and so is answered later.
        try slow.delete(item)
        var numbers: [UInt64] = []
        while let message = try slow.bus.next() {
            if let number = message.replyNumber { numbers.append(number) }
        }
        #expect(numbers == [number])
    }

    @Test("calls of one connection that are not answered yet are limited, and others are served")
    func calls() throws {
        var options = SecretServiceOptions()
        options.limits.calls = (total: 100, ofConnection: 2)
        let front = try TestFront(options)
        let (client, other) = (try front.client(), try front.client())
        _ = try client.openSession()
        let goesOn = DispatchSemaphore(value: 0)
        front.keychain.delaySearches { goesOn.wait() }
        for _ in 0..<2 { try client.sendSearch() }
        let error = try refusal { _ = try client.openSession() }
        #expect(error == "org.freedesktop.DBus.Error.LimitsExceeded")
        _ = try other.openSession()
        for _ in 0..<2 { goesOn.signal() }
    }

    @Test("a program that leaves between any two calls is forgotten, with what it has asked for")
    func leaving() throws {
        let front = try TestFront()
        for round in 0..<20 {
            let client = try front.client()
            guard round > 0 else { continue }
            let session = try client.openSession()
            guard round % 2 == 0 else { continue }
            _ = try client.store(["round": "\(round)"], "secret", session: session)
        }
        #expect(try front.client().search([:]).open.count == 9)
    }
}
