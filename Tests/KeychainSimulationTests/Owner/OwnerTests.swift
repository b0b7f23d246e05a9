// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import Security
import Testing

@Suite("The owner answers as the test says")
struct OwnerTests {
    private static func guarded(
        _ flags: SecAccessControlCreateFlags = .userPresence
    ) throws -> (VirtualDevice, App) {
        let device = try VirtualDevice()
        let app = device.install()
        #expect(app.add("item", flags: flags, level: kSecAttrAccessibleWhenUnlocked) == errSecSuccess)
        return (device, app)
    }

    static let answers: [(Owner.Answer, OSStatus)] = [
        (.succeeds, errSecSuccess), (.fails, errSecAuthFailed), (.cancels, errSecUserCanceled),
        (.fallsBack, errSecSuccess), (.isAway, errSecAuthFailed),
    ]

    @Test("What each answer leads to", arguments: answers)
    func answer(_ answer: Owner.Answer, _ expected: OSStatus) throws {
        let (device, app) = try Self.guarded()
        device.owner.answer = answer
        #expect(app.read("item", [kSecUseOperationPrompt: "to show it"]) == expected)
        #expect(device.owner.questions.first == device.owner.questions.first { $0.kind == .biometry })
        #expect(device.owner.questions.first?.reason == "to show it")
    }

    @Test("The next answers come first, one after the other")
    func nextAnswers() throws {
        let (device, app) = try Self.guarded(.biometryAny)
        device.owner.answer = .cancels
        device.owner.nextAnswers = [.fails, .succeeds]
        #expect(app.read("item") == errSecSuccess)
        #expect(device.owner.nextAnswers.isEmpty)
        #expect(app.read("item") == errSecUserCanceled)
        #expect(device.owner.questions.count == 3)
    }

    @Test("Five failed tries in a row lock biometry out, and the passcode lets it in again")
    func lockout() throws {
        let (device, app) = try Self.guarded(.biometryAny)
        device.owner.nextAnswers = [.fails, .fails, .succeeds]
        #expect(app.read("item") == errSecSuccess)
        device.owner.nextAnswers = Array(repeating: .fails, count: 4) + [.cancels]
        #expect(app.read("item") == errSecAuthFailed)
        #expect(app.read("item") == errSecUserCanceled)
        #expect(!device.isBiometryLockedOut)
        device.owner.nextAnswers = [.fails]
        #expect(app.read("item") == errSecAuthFailed)
        #expect(device.isBiometryLockedOut)
        let count = device.owner.questions.count
        #expect(app.read("item") == errSecAuthFailed)
        #expect(device.owner.questions.count == count)
        #expect(throws: VirtualDeviceError.self) { try device.unlock(passcode: "wrong") }
        #expect(device.isBiometryLockedOut)
        try device.unlock()
        #expect(!device.isBiometryLockedOut)
        #expect(app.read("item") == errSecSuccess)
    }

    @Test("A passcode that is typed for an item ends the lockout, too")
    func lockoutByPrompt() throws {
        let (device, app) = try Self.guarded()
        device.isBiometryLockedOut = true
        #expect(app.read("item") == errSecSuccess)
        #expect(device.owner.questions.map(\.kind) == [.passcode])
        #expect(!device.isBiometryLockedOut)
    }

    @Test("A question waits until the test answers", arguments: answers)
    func openQuestion(_ answer: Owner.Answer, _ expected: OSStatus) async throws {
        let (device, app) = try Self.guarded()
        device.owner.nextAnswers = [.waits]
        device.owner.answer = answer
        async let status = app.runOnThread { app.read("item") }
        let question = try await device.owner.nextOpenQuestion()
        #expect(question.question.kind == .biometry)
        #expect(question.isOpen)
        question.answer(.waits)
        #expect(question.isOpen)
        question.answer(answer)
        question.answer(.isAway)
        #expect(!question.isOpen)
        #expect(await status == expected)
    }

    @Test("A wait for a question that never comes ends with an error")
    func endedWait() async throws {
        let device = try VirtualDevice()
        let limit = Duration.milliseconds(5)
        let error = await #expect(throws: Owner.NoQuestionError.self) {
            _ = try await device.owner.nextOpenQuestion(within: limit)
        }
        #expect(error?.limit == limit)
    }

    @Test("Whoever waits for a question in vain can be cancelled")
    func cancelledWait() async throws {
        let device = try VirtualDevice()
        let task = Task { try await device.owner.nextOpenQuestion() }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
}
