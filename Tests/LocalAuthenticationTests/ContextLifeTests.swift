// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import LocalAuthentication
import PortableLocalAuthentication
import Synchronization
import Testing

@testable import KeychainServices

/// Which keychains hear of a context's end.
struct ContextLifeTests {
    /// A keychain that keeps what it was told of contexts.
    private final class Listener: KeychainBackend {
        private let heard = Mutex<[KeychainCommand.Authentication]>([])
        let hasTypedPassword = Mutex(false)

        var commands: [KeychainCommand.Authentication] { heard.withLock(\.self) }

        var families: CommandFamily { .all }

        func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
            switch command {
            case .items: return .answer(.nothing)
            case .authentication(.status):
                return .context(.init(hasApplicationPassword: hasTypedPassword.withLock(\.self)))
            case .authentication(let command): heard.withLock { $0.append(command) }
            default: break
            }
            return .done
        }

        /// Queries with a context.
        func query(_ context: LAContext) {
            KeychainContext.$current.withValue(KeychainContext(backend: self, client: Client(accessGroups: ["tests"])))
            {
                let query: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecUseAuthenticationContext: context,
                ]
                #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess)
            }
        }
    }

    @Test("every keychain that a context was used with hears of its invalidation and its end, each once")
    func life() {
        let (first, second, other) = (Listener(), Listener(), Listener())
        var context: LAContext? = LAContext()
        let identifier = context?.authenticationContext.value.identifier ?? .zero
        if let context {
            for keychain in [first, second, first] { keychain.query(context) }
            #expect(first.commands.isEmpty)
            context.invalidate()
        }
        for keychain in [first, second] { #expect(keychain.commands == [.invalidate(identifier)]) }
        context = nil
        for keychain in [first, second] {
            #expect(keychain.commands == [.invalidate(identifier), .release(identifier)])
        }
        #expect(other.commands.isEmpty)
    }

    @Test("a keychain that meets a context after its invalidation hears of it as well")
    func late() {
        let keychain = Listener()
        let context = LAContext()
        context.invalidate()
        keychain.query(context)
        #expect(keychain.commands == [.invalidate(context.authenticationContext.value.identifier)])
    }

    @Test("a password that was typed counts as set, until the program sets or removes one")
    func typedPassword() {
        let keychain = Listener()
        let context = LAContext()
        keychain.query(context)
        #expect(!context.isCredentialSet(.applicationPassword))
        keychain.hasTypedPassword.withLock { $0 = true }
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(nil, type: .applicationPassword))
        #expect(keychain.commands == [.forgetPassword(of: context.authenticationContext.value.identifier)])
        context.invalidate()
        #expect(!context.isCredentialSet(.applicationPassword))
    }

    @Test("no context stays in a keychain: neither the second of a call, nor one that is gone before the call")
    func gone() throws {
        let keychain = Listener()
        let tests = KeychainContext(backend: keychain, client: Client(accessGroups: ["tests"]))
        var identifiers: [Bytes16] = []
        func query() -> NSDictionary {
            let context = LAContext()
            identifiers.append(context.authenticationContext.value.identifier)
            return [kSecClass: kSecClassGenericPassword, kSecUseAuthenticationContext: context]
        }
        try ThrowingItemFunctions.set(query(), NSDictionary(), orAdd: query(), in: tests)
        #expect(Set(keychain.commands) == Set(identifiers.map { .release($0) }))
        let value = PropertyDictionary(query())
        try ItemCall.object(.copyMatching(value), in: tests)
        #expect(keychain.commands.last == .release(try #require(identifiers.last)))
        #expect(keychain.commands.count == 3)
    }

    @Test("a password that the program takes back is not set any more, although a keychain was given it")
    func passwordTakenBack() {
        let keychain = KeychainContext(backend: EmbeddedKeychain.inMemory(), client: Client(accessGroups: ["tests"]))
        KeychainContext.$current.withValue(keychain) {
            let context = LAContext()
            context.setCredential(Data("password".utf8), type: .applicationPassword)
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecUseAuthenticationContext: context,
            ]
            #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
            #expect(context.isCredentialSet(.applicationPassword))
            context.setCredential(nil, type: .applicationPassword)
            #expect(!context.isCredentialSet(.applicationPassword))
        }
    }
}
