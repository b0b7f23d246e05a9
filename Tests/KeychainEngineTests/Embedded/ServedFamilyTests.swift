// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainProtection
import Testing

/// What an embedded keychain leaves to others.
struct ServedFamilyTests {
    @Test("valid commands of the system service and of keychain files are errSecUnimplemented, with who serves them")
    func others() {
        let keychain = EmbeddedKeychain.inMemory()
        let commands: [(KeychainCommand, String)] = [
            (.maintenance(.takeOver), "--system"), (.maintenance(.giveBack(onlyIfEmpty: true)), "--system"),
            (.maintenance(.move(.status)), "--system"), (.maintenance(.auditLog(after: 0)), "--system"),
            (.files(.lockAll), "--files"), (.files(.keychain(path: "/a.keychain-db", .status)), "--files"),
        ]
        for (command, program) in commands {
            let error = #expect(throws: KeychainError.self) { try keychain.perform(command) }
            #expect(error?.status == .unimplemented)
            #expect(error?.reason.contains("keychaind \(program)") == true)
        }
        #expect(keychain.families.isDisjoint(with: [.move, .files]))
    }

    @Test("what it names it carries out: no command of its families is unimplemented")
    func own() {
        var device = DeviceOptions()
        device.passwordWork = .testing
        let keychain = EmbeddedKeychain.inMemory(device: device)
        let commands: [KeychainCommand] = [
            .items(
                KeychainRequest(.copyMatching(["class": .string("genp")]), client: Client(accessGroups: ["example"]))
            ),
            .device(.status), .device(.lock), .authentication(.biometry), .enclave(.kind), .maintenance(.check),
            .maintenance(.recover),
            .maintenance(
                .createBackup(BackupRequest(to: .path("/nonexistent/backup"), secret: .given(SecretBytes([1]))))
            ),
            .maintenance(.restoreBackup(RestoreRequest(from: .path("/nonexistent/backup"), secret: SecretBytes([1])))),
        ]
        for command in commands {
            do throws(KeychainError) { _ = try keychain.perform(command) } catch {
                #expect(error.status != .unimplemented, "\(command.row.name): \(error)")
            }
        }
    }
}
