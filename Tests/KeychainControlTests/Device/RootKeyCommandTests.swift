// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainControl

/// `keychainctl device root-key`, command by command.
struct RootKeyCommandTests {
    private static let path = "/home/anna/keychain/root.key"
    private static let status = RootKeyStatus(kind: .software, path: path, replacements: [.software])

    @Test("the status is text or JSON, and the command's default")
    func status() throws {
        let control = Control(RootKeyKeychain(device: FakeDevice(), Self.status))
        for command in [[], ["status"]] as [[String]] {
            let outcome = try control.run(["device", "root-key"] + command)
            #expect(outcome.status == 0)
            #expect(
                outcome.output == """
                    Root key:         in a file
                    File:             \(Self.path)
                    Replaceable by:   file
                    """
            )
        }
        let json = try control.run(["device", "root-key", "status", "--json"]).output
        #expect(
            json == """
                {
                  "isUnsettled" : false,
                  "kind" : "file",
                  "path" : "\(Self.path)",
                  "replacements" : [
                    "file"
                  ]
                }
                """
        )
    }

    @Test("a missing keychain, a key elsewhere and an interrupted replacement are reported")
    func otherStatuses() throws {
        let none = try Control(RootKeyKeychain(device: FakeDevice(), RootKeyStatus())).run(["device", "root-key"])
        #expect(none.output == "There is no keychain yet.")
        let words = ["device", "root-key", "replace", "--kind", "file"]
        let refused = try Control(RootKeyKeychain(device: FakeDevice(), RootKeyStatus())).run(words)
        #expect(refused.status != 0 && refused.error.contains("there is no keychain yet"))
        var status = RootKeyStatus(kind: .tpm)
        status.isUnsettled = true
        let chip = try Control(RootKeyKeychain(device: FakeDevice(), status)).run(["device", "root-key"])
        #expect(chip.output.contains("in a TPM 2.0") && chip.output.contains("none"))
        #expect(chip.output.contains("could not be finished"))
    }

    @Test("the root key is replaced, with the passcode if one is set", arguments: [nil, "1234"])
    func replace(_ passcode: String?) throws {
        for kind in [[], ["--kind", "file"]] as [[String]] {
            let keychain = RootKeyKeychain(device: FakeDevice(passcode: passcode), Self.status)
            var control = Control(keychain)
            control.answers = passcode.map { [.typed($0)] } ?? []
            let outcome = try control.run(["device", "root-key", "replace"] + kind)
            #expect(outcome.status == 0 && outcome.output == "The root key is replaced.", "\(outcome)")
            #expect(outcome.prompts == (passcode == nil ? [] : [.passcode]))
            let secret = passcode.map { SecretBytes(Array($0.utf8)) }
            #expect(keychain.replacements == [.init(kind: kind.isEmpty ? nil : .software, passcode: secret)])
        }
    }

    @Test("a kind that cannot be had, a wrong passcode and a misspelt kind replace nothing")
    func refusals() throws {
        let keychain = RootKeyKeychain(device: FakeDevice(passcode: "1234"), Self.status)
        var control = Control(keychain)
        control.answers = [.typed("0000")]
        let elsewhere = try control.run(["device", "root-key", "replace", "--kind", "tpm"])
        #expect(elsewhere.status == 1 && elsewhere.error.contains("'tpm'") && elsewhere.prompts.isEmpty)
        let misspelt = try control.run(["device", "root-key", "replace", "--kind", "chip"])
        #expect(misspelt.status == 2 && misspelt.error.contains("systemd-credential"))
        #expect(!misspelt.error.contains("chip"))
        let wrong = try control.run(["device", "root-key", "replace"])
        #expect(wrong.status == 1 && wrong.error.contains("the passcode is wrong"))
        #expect(keychain.replacements.isEmpty)
    }

    @Test("a former root key that has another name is still there, and that is said")
    func linked() throws {
        var control = Control(RootKeyKeychain(device: FakeDevice(), Self.status))
        control.linkedRootKey = Self.path
        let outcome = try control.run(["device", "root-key", "replace"])
        #expect(outcome.remarks.contains("the former root key is still there"))
    }

    /// A keychain that is nothing but a device and what a test says of its root key.
    private final class RootKeyKeychain: KeychainBackend {
        struct Replacement: Equatable {
            let kind: RootKeyKind?
            let passcode: SecretBytes?
        }

        private let fake: FakeDevice
        private let status: RootKeyStatus
        private let state = Mutex<[Replacement]>([])

        init(device: FakeDevice, _ status: RootKeyStatus) {
            fake = device
            self.status = status
        }

        var replacements: [Replacement] { state.withLock(\.self) }

        var families: CommandFamily { .all }

        func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
            switch command {
            case .device(let command): return try fake.perform(command)
            case .maintenance(.rootKeyStatus): return .rootKeyStatus(status)
            case .maintenance(.replaceRootKey(let kind, let passcode)):
                state.withLock { $0.append(Replacement(kind: kind, passcode: passcode)) }
                return .done
            case .items, .explain, .itemsExplained, .authentication, .enclave, .maintenance, .files, .lookup,
                .history:
                throw KeychainError(.notAvailable, "a test has no use for this")
            }
        }
    }
}
