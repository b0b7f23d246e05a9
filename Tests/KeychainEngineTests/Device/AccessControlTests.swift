// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainHost
import KeychainSimulation
import Testing

@testable import KeychainEngine

/// What an item's access control asks for, and when nobody is asked.
struct AccessControlTests {
    @Test("the owner is asked once for many items, and again in the next call")
    func once() throws {
        let device = try VirtualDevice()
        for account in ["a", "b", "c"] {
            #expect(device.keychain.add(account, account, with: .access(.biometryAny)) == .done)
        }
        #expect(device.prompts == [])
        #expect(device.keychain.everything() == .accounts(["a", "b", "c"]))
        #expect(device.prompts == [.biometry])
        #expect(device.keychain.secret("a") == .secret("a"))
        #expect(device.prompts == [.biometry, .biometry])
    }

    @Test("what a context has shown is not asked for again, and an invalid one shows nothing")
    func context() throws {
        let device = try VirtualDevice()
        #expect(device.keychain.add("a", "a", with: .access(.userPresence)) == .done)
        let context = AuthenticationContext()
        for _ in 0..<3 { #expect(device.keychain.secret("a", .context(context)) == .secret("a")) }
        #expect(device.prompts == [.biometry])
        // Not even a query that forbids to ask needs to.
        #expect(device.keychain.secret("a", .context(context) + .withoutAsking) == .secret("a"))
        #expect(device.keychain.secret("a", .withoutAsking) == .failed(.interactionNotAllowed))
        device.keychain.authentication.invalidate(context.identifier)
        #expect(device.keychain.secret("a", .context(context)) == .failed(.authenticationFailed))
        #expect(device.prompts == [.biometry])
    }

    @Test("a prompt says why it is shown: the reason of the context, else that of the query")
    func reason() throws {
        let device = try VirtualDevice()
        #expect(device.keychain.add("a", "a", with: .access(.userPresence)) == .done)
        let prompt: [String: PropertyValue] = [PropertyKey.useOperationPrompt: .string("to read a")]
        #expect(device.keychain.secret("a", prompt) == .secret("a"))
        var context = AuthenticationContext()
        context.settings.localizedReason = "to show the reason"
        #expect(device.keychain.secret("a", .context(context) + prompt) == .secret("a"))
        #expect(device.owner.authenticator.prompts.map(\.reason) == ["to read a", "to show the reason"])
    }

    @Test("the statuses of a failed authentication; nothing is changed by an update that nobody let in")
    func statuses() throws {
        let device = try VirtualDevice()
        #expect(device.keychain.add("a", "a", with: .access(.userPresence)) == .done)
        for (answer, status) in [(Owner.Answer.fails, Status.authenticationFailed), (.cancels, .userCanceled)] {
            device.owner.answer = answer
            #expect(device.keychain.secret("a") == .failed(status))
            #expect(device.keychain.find("a") == .failed(status))
            #expect(device.keychain.update("a", "changed") == .failed(status))
        }
        // So many wrong tries lock the sensor out, and delay the next passcode.
        device.clock.advance(by: .seconds(3600))
        device.owner.answer = .succeeds
        #expect(device.keychain.secret("a") == .secret("a"))
        #expect(device.keychain.update("a", "changed") == .done)
        #expect(device.keychain.secret("a") == .secret("changed"))
        device.owner.answer = .cancels
        #expect(device.keychain.delete("a") == .done)
    }

    @Test("an item of the current biometry is gone for good when the enrolled set changes, and nobody is asked")
    func enrolledSet() throws {
        let device = try VirtualDevice()
        #expect(device.keychain.add("current", "current", with: .access(.biometryCurrentSet)) == .done)
        #expect(device.keychain.add("any", "any", with: .access(.biometryAny)) == .done)
        #expect(device.keychain.secret("current") == .secret("current"))
        let context = AuthenticationContext()
        #expect(device.keychain.secret("current", .context(context)) == .secret("current"))
        device.enrollBiometry()
        let asked = device.prompts.count
        #expect(device.keychain.secret("current") == .failed(.authenticationFailed))
        // Nor does a context help that has shown a finger of the earlier set.
        #expect(device.keychain.secret("current", .context(context)) == .failed(.authenticationFailed))
        #expect(device.prompts.count == asked)
        #expect(device.keychain.secret("any") == .secret("any"))
        // An update that sets the access control again would have to read the item.
        #expect(device.keychain.update("current", "changed") == .failed(.authenticationFailed))
        #expect(device.keychain.delete("current") == .done)
        #expect(device.keychain.add("current", "again", with: .access(.biometryCurrentSet)) == .done)
        #expect(device.keychain.secret("current") == .secret("again"))
    }

    @Test("the attributes of an item give the access control as it was made")
    func comparison() throws {
        let device = try VirtualDevice()
        let entries: [String: PropertyValue] = .access(.biometryCurrentSet)
        #expect(device.keychain.add("a", "a", with: entries) == .done)
        let query: PropertyDictionary = ["class": .string("genp"), "r_Attributes": .boolean(true)]
        let answer = try device.keychain.perform(KeychainRequest(.copyMatching(query), client: TestStore.client))
        guard case .single(.dictionary(let attributes)) = answer else {
            Issue.record("no attributes")
            return
        }
        #expect(attributes["accc"] == entries["accc"])
    }

    @Test("constraints that nobody could ever satisfy are refused when they are stored")
    func unsatisfiable() throws {
        let without = try VirtualDevice(passcode: nil)
        #expect(without.keychain.add("a", "a", with: .access(.userPresence)) == .failed(.authenticationFailed))
        #expect(without.keychain.add("b", "b", with: .access([])) == .done)
        let attributes: PropertyDictionary = PropertyDictionary(.access(.userPresence))
        let update = KeychainRequest.Operation.update(["class": .string("genp")], attributes: attributes)
        #expect(without.keychain.answer(update) { _ in .done } == .failed(.authenticationFailed))
        let blank = try VirtualDevice(biometry: .none)
        #expect(blank.keychain.add("a", "a", with: .access(.biometryCurrentSet)) == .failed(.authenticationFailed))
        #expect(blank.keychain.add("a", "a", with: .access(.devicePasscode)) == .done)
    }

    @Test("an item of earlier versions that permits the use of a private key only is never read, and can be deleted")
    func privateKeyUsage() throws {
        let store = try TestStore()
        // What a simulator still stores, because it looks at no access control.
        var options = DeviceOptions()
        options.personality = .simulator
        let simulator = EmbeddedKeychain(at: KeychainLocation(path: store.path), device: options)
        #expect(simulator.add("a", "a", with: .access([.privateKeyUsage, .userPresence])) == .done)
        let keychain = store.open()
        #expect(keychain.secret("a") == .failed(.authenticationFailed))
        #expect(keychain.find("a") == .failed(.authenticationFailed))
        #expect(keychain.delete("a") == .done)
        #expect(
            keychain.add("b", "b", with: .access([.privateKeyUsage, .userPresence])) == .failed(.authenticationFailed)
        )
    }

    @Test("items under an access control lock with their level, before anybody is asked")
    func locked() throws {
        let device = try VirtualDevice()
        #expect(device.keychain.add("a", "a", with: .access(.userPresence)) == .done)
        try device.lock()
        #expect(device.keychain.secret("a") == .failed(.interactionNotAllowed))
        #expect(device.keychain.add("a", "a", with: .access(.userPresence)) == .failed(.interactionNotAllowed))
        #expect(device.prompts == [])
    }

    @Test("others may use the keychain while the owner is being asked")
    func turns() throws {
        let device = try VirtualDevice()
        #expect(device.keychain.add("guarded", "guarded", with: .access(.userPresence)) == .done)
        #expect(device.keychain.add("plain", "plain") == .done)
        device.owner.authenticator.setAnswer { [keychain = device.keychain] _ in
            keychain.secret("plain") == .secret("plain") ? .recognized : .cancelled
        }
        #expect(device.keychain.secret("guarded") == .secret("guarded"))
    }
}
