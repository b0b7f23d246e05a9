// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSimulation
import Testing

@testable import KeychainEngine

/// Items whose key takes a password of the application.
struct ApplicationPasswordTests {
    private func context(_ password: String) -> AuthenticationContext {
        AuthenticationContext(applicationPassword: SecretBytes(Array(password.utf8)))
    }

    private static let guarded: [String: PropertyValue] = .access(.applicationPassword)

    @Test(
        "the password of a context stores and reads; another one reads nothing, and asks nobody",
        arguments: VirtualDevice.Storage.allCases
    )
    func ofContext(_ storage: VirtualDevice.Storage) throws {
        let device = try VirtualDevice(storage: storage)
        #expect(device.keychain.add("a", "secret", with: Self.guarded + .context(context("right"))) == .done)
        #expect(device.keychain.secret("a", .context(context("right"))) == .secret("secret"))
        #expect(device.keychain.secret("a", .context(context("wrong"))) == .failed(.authenticationFailed))
        #expect(device.keychain.find("a", .context(context("wrong"))) == .failed(.authenticationFailed))
        #expect(device.prompts == [])
        // A wrong password is no damage.
        #expect(try device.keychain.check().isSound)
        #expect(device.keychain.secret("a", .context(context("right"))) == .secret("secret"))
    }

    @Test("without one in the context it is typed: twice to store, as often as needed, three times at most, to read")
    func typed() throws {
        let device = try VirtualDevice()
        #expect(device.keychain.add("a", "secret", with: Self.guarded) == .done)
        #expect(device.prompts == [.newApplicationPassword])
        #expect(device.keychain.secret("a") == .secret("secret"))
        #expect(device.prompts == [.newApplicationPassword, .applicationPassword])
        device.owner.answer = .fails
        #expect(device.keychain.secret("a") == .failed(.authenticationFailed))
        #expect(device.owner.authenticator.prompts.suffix(3).map { $0.problem == nil } == [true, false, false])
        #expect(device.prompts.count == 5)
        device.owner.answer = .cancels
        #expect(device.keychain.secret("a") == .failed(.userCanceled))
        #expect(device.keychain.secret("a", .withoutAsking) == .failed(.interactionNotAllowed))
        #expect(
            device.keychain.add("b", "secret", with: Self.guarded + .withoutAsking) == .failed(.interactionNotAllowed)
        )
        #expect(device.keychain.find("b") == .failed(.itemNotFound))
    }

    @Test("a wrong typed password is not kept in the context")
    func unverified() throws {
        let device = try VirtualDevice()
        #expect(device.keychain.add("a", "secret", with: Self.guarded) == .done)
        let context = AuthenticationContext()
        device.owner.answer = .fails
        #expect(device.keychain.secret("a", .context(context)) == .failed(.authenticationFailed))
        #expect(!device.keychain.authentication.status(of: context.identifier).hasApplicationPassword)
        device.owner.answer = .succeeds
        #expect(device.keychain.secret("a", .context(context)) == .secret("secret"))
        let asked = device.prompts.count
        #expect(device.keychain.secret("a", .context(context)) == .secret("secret"))
        #expect(device.prompts.count == asked)
    }

    @Test("the password is needed beside the constraints, even where one of them is enough")
    func besideConstraints() throws {
        let device = try VirtualDevice()
        let flags: AccessControlFlags = [.biometryAny, .devicePasscode, .or, .applicationPassword]
        #expect(device.keychain.add("a", "secret", with: .access(flags) + .context(context("right"))) == .done)
        #expect(device.keychain.secret("a", .context(context("right"))) == .secret("secret"))
        #expect(device.prompts == [.biometry])
        #expect(device.keychain.secret("a", .context(context("wrong"))) == .failed(.authenticationFailed))
        device.owner.answer = .cancels
        #expect(device.keychain.secret("a", .context(context("right"))) == .failed(.userCanceled))
    }

    @Test("a duplicate is told before anybody is asked")
    func duplicate() throws {
        let device = try VirtualDevice()
        #expect(device.keychain.add("a", "secret") == .done)
        #expect(device.keychain.add("a", "secret", with: Self.guarded) == .failed(.duplicateItem))
        #expect(device.prompts == [])
        try device.lock()
        #expect(device.keychain.add("a", "secret", with: Self.guarded) == .failed(.interactionNotAllowed))
        #expect(device.prompts == [])
    }

    @Test("an update keeps the password, puts an item under one, and takes it away")
    func update() throws {
        let device = try VirtualDevice()
        func change(_ attributes: [String: PropertyValue], _ context: AuthenticationContext) -> Answer {
            let query = PropertyDictionary(["class": .string("genp")] + .context(context))
            return device.keychain.answer(.update(query, attributes: PropertyDictionary(attributes))) { _ in .done }
        }
        let right = context("right")
        #expect(device.keychain.add("a", "secret", with: Self.guarded + .context(right)) == .done)
        #expect(change(["icmt": .string("comment")], context("wrong")) == .failed(.authenticationFailed))
        #expect(change(["v_Data": .data(SecretBytes(Array("changed".utf8)))], right) == .done)
        #expect(device.keychain.secret("a", .context(right)) == .secret("changed"))
        #expect(device.keychain.secret("a", .context(context("wrong"))) == .failed(.authenticationFailed))
        #expect(change(.level(.whenUnlocked), right) == .done)
        #expect(device.keychain.secret("a") == .secret("changed"))
        #expect(change(Self.guarded, context("other")) == .done)
        #expect(device.keychain.secret("a", .context(right)) == .failed(.authenticationFailed))
        #expect(device.keychain.secret("a", .context(context("other"))) == .secret("changed"))
        #expect(device.prompts == [])
    }

    @Test("many items under passwords are read in one call, each by its own key")
    func many() throws {
        let device = try VirtualDevice()
        let right = context("right")
        for account in ["a", "b", "c"] {
            #expect(device.keychain.add(account, account, with: Self.guarded + .context(right)) == .done)
        }
        let query = PropertyDictionary(
            ["class": .string("genp"), "m_Limit": .string("m_LimitAll"), "r_Data": .boolean(true)] + .context(right)
        )
        let answer = try device.keychain.perform(KeychainRequest(.copyMatching(query), client: TestStore.client))
        guard case .list(let values) = answer else {
            Issue.record("no list")
            return
        }
        #expect(values.count == 3)
    }
}
