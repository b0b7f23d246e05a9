// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// What a keychain keeps of the contexts of programs.
struct ContextRegistryTests {
    private let registry = ContextRegistry(limit: 8)

    @Test("a context is known by its identifier, and by no other")
    func identity() {
        let context = AuthenticationContext()
        let state = registry.state(of: context)
        state.record(.passcode)
        #expect(registry.state(of: context) === state)
        #expect(registry.status(of: context.identifier).shown == [.passcode])
        #expect(registry.state(of: AuthenticationContext()).shown.isEmpty)
        #expect(registry.status(of: .random()) == AuthenticationContext.Status())
        #expect(registry.count == 2)
    }

    @Test("what the program sets counts from its next call on; a typed password counts until it is forgotten")
    func settings() {
        var context = AuthenticationContext()
        let state = registry.state(of: context)
        state.applicationPassword = SecretBytes([1])
        context.settings.interactionNotAllowed = true
        context.applicationPassword = SecretBytes([2])
        #expect(registry.state(of: context).settings.interactionNotAllowed)
        #expect(state.applicationPassword == SecretBytes([2]))
        context.applicationPassword = nil
        #expect(registry.state(of: context).applicationPassword == SecretBytes([1]))
        #expect(registry.status(of: context.identifier).hasApplicationPassword)
        registry.forgetPassword(of: context.identifier)
        #expect(!registry.status(of: context.identifier).hasApplicationPassword)
        // One that the program gave is not kept when it takes it back, although no call follows.
        context.applicationPassword = SecretBytes([3])
        _ = registry.state(of: context)
        registry.forgetPassword(of: context.identifier)
        #expect(state.applicationPassword == nil)
        #expect(!registry.status(of: context.identifier).hasApplicationPassword)
    }

    @Test("an invalid context stays invalid, also for a call that was made before and arrives later")
    func invalid() {
        let context = AuthenticationContext(applicationPassword: SecretBytes([1]))
        registry.invalidate(context.identifier)
        let state = registry.state(of: context)
        state.record(.passcode)
        #expect(state.isInvalid && state.shown.isEmpty && state.applicationPassword == nil)
        // A keychain that was not told learns it from the call.
        let other = AuthenticationContext(isInvalid: true)
        #expect(registry.state(of: other).isInvalid)
    }

    @Test("a released context is forgotten, and its open question ends")
    func release() {
        let context = AuthenticationContext()
        let state = registry.state(of: context)
        state.record(.passcode)
        state.withPrompt { prompt in
            registry.release(context.identifier)
            #expect(prompt.isCancelled)
        }
        #expect(registry.count == 0)
        #expect(registry.state(of: context).shown.isEmpty)
    }

    @Test("more contexts than the limit push out what was used longest ago, but none with an open question")
    func limit() {
        let contexts = (0..<20).map { _ in AuthenticationContext() }
        let asking = registry.state(of: contexts[0])
        asking.record(.passcode)
        asking.withPrompt { _ in
            for context in contexts.dropFirst() { registry.state(of: context).record(.passcode) }
            #expect(registry.count <= registry.limit)
            #expect(registry.status(of: contexts[0].identifier).shown == [.passcode])
        }
        #expect(registry.status(of: contexts[1].identifier).shown.isEmpty)
        #expect(registry.status(of: contexts[19].identifier).shown == [.passcode])
    }

    @Test("a context says nothing of its identifier and its password when it is printed")
    func description() {
        var context = AuthenticationContext(applicationPassword: SecretBytes(Array("hunter2".utf8)))
        context.settings.localizedReason = "to test"
        var dumped = ""
        dump(context, to: &dumped)
        for text in ["\(context)", "\(context as Any)", String(reflecting: context), dumped] {
            #expect(!text.contains("hunter2") && !text.contains("7 bytes") && !text.contains("identifier"), "\(text)")
        }
    }

    @Test("an invalidation of a service's context ends the question that a request asks in it")
    func endedByCommand() throws {
        let bench = EvaluationBench()
        bench.authenticator.setAnswer { [evaluator = bench.evaluator, context = bench.given.identifier] prompt in
            _ = try? evaluator.perform(.invalidate(context))
            return prompt.cancellation.isCancelled ? .ended : .cancelled
        }
        let error = #expect(throws: KeychainError.self) {
            try bench.evaluator.perform(.evaluate(.policy(.deviceOwner), reason: "a test", bench.given))
        }
        #expect(error?.kind == .authentication(.appCancel))
    }
}
