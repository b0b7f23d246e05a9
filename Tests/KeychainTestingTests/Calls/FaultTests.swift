// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security
import Testing

@Suite("Faults strike the calls that a test names, before or after the effect", .keychain)
struct FaultTests {
    private let app: App
    private var device: VirtualDevice { app.device }

    init() throws { app = try #require(App.current) }

    @Test("the n-th call fails, and nothing has happened")
    func nth() {
        let fault = device.faults.fail(with: errSecDiskFull, on: [.add], skipping: 1)
        #expect(Items.add(account: "one") == errSecSuccess)
        #expect(Items.add(account: "two") == errSecDiskFull)
        #expect(Items.read("two").status == errSecItemNotFound)
        #expect(Items.add(account: "two") == errSecSuccess)
        #expect(fault.count == 1)
        #expect(fault.isOver)
    }

    @Test("a fault after the effect: the item exists, but the caller sees the failure")
    func afterEffect() {
        device.faults.fail(with: errSecIO, .afterEffect)
        #expect(Items.add() == errSecIO)
        #expect(Items.add() == errSecDuplicateItem)
        device.faults.fail(with: errSecIO, .afterEffect, on: [.copyMatching])
        let read = Items.read()
        #expect(read.status == errSecIO)
        #expect(read.secret == nil)
        device.faults.fail(with: errSecIO, .afterEffect)
        #expect(Items.delete() == errSecIO)
        #expect(Items.read().status == errSecItemNotFound)
    }

    @Test("a call that the keychain refuses by itself keeps the keychain's status")
    func ownFailure() {
        device.faults.fail(with: errSecIO, .afterEffect)
        #expect(Items.delete() == errSecItemNotFound)
    }

    @Test("a predicate chooses by account, service, class and app; for ever until it is removed")
    func predicate() {
        let fault = device.faults.fail(with: errSecNotAvailable, times: nil) {
            $0.account == "token" && $0.service == "service" && $0.app.hasSuffix("com.example.app")
                && $0.itemClass == kSecClassGenericPassword as String
        }
        #expect(Items.add(account: "other") == errSecSuccess)
        for _ in 0..<3 { #expect(Items.add(account: "token") == errSecNotAvailable) }
        let other = device.install("com.example.other")
        #expect(other.run { Items.add(account: "token") } == errSecSuccess)
        fault.remove()
        #expect(Items.add(account: "token") == errSecSuccess)
        #expect(fault.count == 3)
    }

    @Test("the first failure counts, and the second waits for its call")
    func several() {
        device.faults.fail(with: errSecIO)
        device.faults.fail(with: errSecDiskFull)
        #expect(Items.add() == errSecIO)
        #expect(Items.add() == errSecDiskFull)
        #expect(Items.add() == errSecSuccess)
        device.faults.fail(with: errSecIO)
        device.faults.removeAll()
        #expect(Items.delete() == errSecSuccess)
    }

    @Test("a delay passes on the device's clock: what locks by inactivity is locked then")
    func delay() throws {
        #expect(Items.add() == errSecSuccess)
        device.faults.delay(by: .seconds(3_600), on: [.update])
        #expect(Items.update("later") == errSecSuccess)
        var result: CFTypeRef?
        #expect(SecItemCopyMatching(Items.query("account", [kSecReturnAttributes: true]), &result) == errSecSuccess)
        let attributes = try #require(result as? [CFString: Any])
        let created = try #require(attributes[kSecAttrCreationDate] as? Date)
        let modified = try #require(attributes[kSecAttrModificationDate] as? Date)
        #expect(modified.timeIntervalSince(created) >= 3_600)
    }

    @Test("a call that is held waits until the test lets it go")
    func gate() async {
        let gate = device.faults.hold(on: [.add])
        let app = app
        async let status = app.runOnThread { Items.add() }
        await gate.waitForCall()
        #expect(app.device.calls.last?.status == nil)
        #expect(Items.read().status == errSecItemNotFound)
        gate.open()
        #expect(await status == errSecSuccess)
        #expect(gate.fault.count == 1)
    }

    @Test("a wait for a call that is never made ends, and its test fails")
    func noCall() async {
        let gate = device.faults.hold(on: [.add])
        await withKnownIssue {
            await gate.waitForCall(seconds: 0.1)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("No call has come to the gate for 0.1 s") }
        }
        gate.open()
    }

    @Test("keys of the enclave are made and used through the same faults")
    func enclave() throws {
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
        ]
        device.faults.fail(with: errSecNotAvailable, on: [.makeEnclaveKey])
        #expect(SecKeyCreateRandomKey(parameters as CFDictionary, nil) == nil)
        let key = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
        func sign() -> Bool {
            SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data("message".utf8) as CFData, nil) != nil
        }
        device.faults.fail(with: errSecAuthFailed, on: [.useEnclaveKey])
        #expect(!sign())
        #expect(sign())
        let operations = device.calls.map(\.operation).filter { $0 != .add }
        #expect(operations == [.makeEnclaveKey, .makeEnclaveKey, .useEnclaveKey, .useEnclaveKey])
    }
}
