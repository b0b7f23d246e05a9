// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost
import KeychainMacFrontEnd
import KeychainProtection
import KeychainTestSupport
import Synchronization

@testable import KeychainControl

/// `keychainctl` inside the test: a fake keychain, a scripted person, and what the command said.
struct Control {
    var keychain: any KeychainBackend
    var answers: [AuthenticationReply] = []
    var input = ""
    var confirmation: Bool?
    var programStatus: Int32 = 0
    var linkedRootKey: String?
    var replaceablePart: ReplaceablePart?
    var isTerminal = false
    var standardOutput: Int32?
    var askLine: @Sendable (String) -> [UInt8]? = { _ in nil }
    /// The home folder with the keychain files; one without any unless a test has its own.
    var home = "/nonexistent"
    var isInSystemService = false
    var scheduleHost: ScheduleHost?
    var service: KeychainService?
    var searchList: [String] = []
    var environment: [String: String] = [:]
    var helperFolder: String?
    /// Runs a program of somebody else's for its output.
    var output: (@Sendable ([String]) throws(Refusal) -> String)?

    /// Runs a program of somebody else's that makes a secret of a descriptor's contents.
    var filter: (@Sendable ([String], Int32, Int) throws(Refusal) -> SecretBytes)?

    /// What a command left behind.
    struct Outcome: Equatable {
        var status: Int32
        var output = ""
        var remarks = ""
        var error = ""
        var prompts: [AuthenticationPrompt.Kind] = []
        var programs: [[String]] = []
        var shown: [String] = []
    }

    init(_ keychain: any KeychainBackend) { self.keychain = keychain }

    init(device: FakeDevice) { keychain = BackupKeychain(device: device) }

    init(device: RefusingDevice) { keychain = BackupKeychain(device: device.perform) }

    /// Runs a command to its end.
    func run(_ arguments: [String]) throws -> Outcome {
        let folder = try TemporaryFolder()
        let file = open(folder.path(of: "input"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        let bytes = Array(input.utf8)
        guard write(file, bytes, bytes.count) == bytes.count, lseek(file, 0, SEEK_SET) == 0 else { throw Failure() }
        return run(arguments, standardInput: file)
    }

    /// Runs a command that reads from a descriptor.
    func run(_ arguments: [String], standardInput: Int32) -> Outcome {
        let notes = Notes(answers)
        let authenticator = ScriptedAuthenticator { _ in notes.nextAnswer() }
        authenticator.canAskForSecrets = !answers.isEmpty
        var surroundings = Surroundings(
            keychain: keychain,
            offerUnlock: { [keychain] (passcode) throws(KeychainError) in
                try keychain.device.unlock(passcode: passcode)
                return nil
            },
            authenticator: authenticator
        )
        surroundings.standardInput = standardInput
        surroundings.linkedRootKey = { [linkedRootKey] in linkedRootKey }
        surroundings.replaceablePart = { [replaceablePart] in replaceablePart }
        if let standardOutput { surroundings.standardOutput = standardOutput }
        surroundings.isTerminal = { [isTerminal] _ in isTerminal }
        surroundings.askLine = { [askLine] question in
            notes.change { $0.remarks += question }
            return askLine(question)
        }
        surroundings.keychainFiles = { [home] in UserKeychainFiles(home: KeychainHome(path: home)) }
        surroundings.isInSystemService = { [isInSystemService] in isInSystemService }
        surroundings.backupFloor = ScryptFloor(of: .minimum)
        surroundings.scheduleHost = { [scheduleHost] () throws(Refusal) in
            guard let scheduleHost else { throw Refusal("a test has no use for a schedule") }
            return scheduleHost
        }
        surroundings.showSecret = { secret in
            notes.change { $0.shown.append(String(decoding: secret.unprotectedCopy, as: UTF8.self)) }
            return true
        }
        if let service { surroundings.service = { () throws(Refusal) in service } }
        surroundings.searchList = { [searchList] in searchList }
        surroundings.environment = { [environment] in environment[$0] }
        surroundings.helperFolder = { [helperFolder] in helperFolder }
        if let output { surroundings.output = output }
        if let filter { surroundings.filter = filter }
        surroundings.printLine = { text in notes.change { $0.output += text } }
        surroundings.remark = { text in notes.change { $0.remarks += text } }
        surroundings.confirm = { [confirmation] question in
            notes.change { $0.remarks += question }
            return confirmation
        }
        surroundings.run = { [programStatus] words, _ throws(Refusal) in
            notes.change { $0.programs.append(words) }
            return programStatus
        }
        Surroundings.$current.withValue(surroundings) {
            do {
                var command = try KeychainControl.parsed(arguments)
                try command.run()
            } catch {
                notes.change {
                    $0.status = KeychainControl.exitStatus(for: error).rawValue
                    $0.error = KeychainControl.message(for: error)
                }
            }
        }
        notes.change { $0.prompts = authenticator.prompts.map(\.kind) }
        return notes.outcome
    }

    struct Failure: Error {}

    private final class Notes: Sendable {
        private let state: Mutex<(outcome: Outcome, answers: [AuthenticationReply])>

        init(_ answers: [AuthenticationReply]) { state = Mutex((Outcome(status: 0), answers)) }

        var outcome: Outcome { state.withLock(\.outcome) }

        func change(_ body: (inout Outcome) -> Void) { state.withLock { body(&$0.outcome) } }

        func nextAnswer() -> AuthenticationReply {
            state.withLock { $0.answers.isEmpty ? .unavailable : $0.answers.removeFirst() }
        }
    }
}

extension AuthenticationReply {
    /// What somebody types.
    static func typed(_ text: String) -> AuthenticationReply { .secret(SecretBytes(Array(text.utf8))) }
}
