// SPDX-License-Identifier: Apache-2.0

import Foundation

extension PasswordStoreBench {
    /// Sets one password from several tasks at the same time.
    nonisolated(nonsending) func race() async throws {
        guard let store = store as? any PasswordStoreContractSubject & ConcurrentContractSubject else { return }
        let passwords = (0..<8).map { Data([UInt8($0)]) }
        let errors = await withTaskGroup(of: String?.self) { group in
            for password in passwords {
                group.addTask {
                    do { try await store.set(password, service: "mail", account: "ada") } catch { return "\(error)" }
                    return nil
                }
            }
            return await group.reduce(into: [String]()) { errors, error in errors += error.map { [$0] } ?? [] }
        }
        guard errors.isEmpty else {
            throw mismatch("set by 8 tasks", expected: "no error", got: errors.joined(separator: ", "))
        }
        let password = try await store.get(service: "mail", account: "ada")
        guard let password, passwords.contains(password) else {
            throw mismatch("get after set by 8 tasks", expected: "one of the 8 passwords", got: "another, or none")
        }
    }
}
