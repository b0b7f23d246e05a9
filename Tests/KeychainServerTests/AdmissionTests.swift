// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainClient
import KeychainCore
import KeychainServer
import ServerTestSupport
import Synchronization
import Testing

/// Looks at programs that take long, or for ever.
@Suite(.timeLimit(.minutes(10)))
struct AdmissionTests {
    private static func options(patience: Int32) -> ServerOptions {
        var options = ServerOptions()
        options.tickMilliseconds = 10
        options.admissionMilliseconds = patience
        return options
    }

    @Test("while programs are looked at that nothing can be read of, others are let in and served")
    func hanging() throws {
        let admission = HangingAdmission(hanging: 6)
        let server = try TestServer(admission: admission, Self.options(patience: 300_000))
        let hanging = try (0..<6).map { _ in try RawConnection(server.location) }
        #expect(eventually("all of them are looked at") { admission.held == 6 })
        try server.client().add("a")
        #expect(admission.keychain.counts == ["a": 1])
        admission.open()
        #expect(eventually("they are let in") { server.connectionCount >= hanging.count })
    }

    @Test("a program that cannot be looked at in time is told so; meanwhile, no thread is spent on another look at it")
    func overdue() throws {
        let admission = HangingAdmission(hanging: 1)
        let server = try TestServer(admission: admission, Self.options(patience: 100))
        for _ in 0..<2 {
            let error = #expect(throws: KeychainError.self) { try server.client().add("a") }
            #expect(error?.status == .notAvailable)
            #expect(error?.reason.contains("could not identify") == true, "\(String(describing: error))")
        }
        #expect(admission.held == 1)
        admission.open()
        #expect(eventually("others are let in again") { (try? server.client().add("b")) != nil })
        #expect(admission.keychain.counts["a"] == nil)
    }

    @Test("a connection that says nothing ends in time, also when nothing else was going on while it was looked at")
    func silent() throws {
        let admission = HangingAdmission(hanging: 1)
        var options = Self.options(patience: 300_000)
        options.messageMilliseconds = 200
        let server = try TestServer(admission: admission, options)
        let connection = try RawConnection(server.location)
        #expect(eventually("it is looked at") { admission.held == 1 })
        admission.open()
        #expect(try connection.isEnded())
    }
}

/// Lets everybody in, the first ones only once a test wants that.
private final class HangingAdmission: Admission {
    let keychain = CountingKeychain()
    private let state: Mutex<(left: Int, held: Int)>
    private let gate = DispatchSemaphore(value: 0)

    init(hanging: Int) { state = Mutex((hanging, 0)) }

    /// How many are held back now.
    var held: Int { state.withLock(\.held) }

    func open() { for _ in 0..<held { gate.signal() } }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer {
        let isHeld = state.withLock { state in
            guard state.left > 0 else { return false }
            state.left -= 1
            state.held += 1
            return true
        }
        if isHeld {
            gate.wait()
            state.withLock { $0.held -= 1 }
        }
        return OpenPeer(process: ProcessInstance(identifier: getpid(), startTime: 0), backend: keychain)
    }
}
