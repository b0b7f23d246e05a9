// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import PortableSecurity

/// Calls a store for a rule, and throws at the first answer that breaks the rule.
struct PasswordStoreBench {
    let store: any PasswordStoreContractSubject

    /// The device that the store is called on.
    let device: VirtualDevice

    static let secret = Data("secret".utf8)
    static let otherSecret = Data("another".utf8)

    nonisolated(nonsending) func set(
        _ password: Data = secret,
        service: String = "mail",
        account: String = "ada"
    ) async throws {
        do { try await store.set(password, service: service, account: account) } catch {
            throw refusal(Self.call("set", service: service, account: account), expected: "no error", got: "\(error)")
        }
    }

    nonisolated(nonsending) func delete(_ service: String = "mail", _ account: String = "ada") async throws {
        do { try await store.delete(service: service, account: account) } catch {
            throw refusal(
                Self.call("delete", service: service, account: account),
                expected: "no error",
                got: "\(error)"
            )
        }
    }

    /// Expects a password, or its absence.
    nonisolated(nonsending) func expect(
        _ password: Data?,
        service: String = "mail",
        account: String = "ada",
        because reason: String
    ) async throws {
        let call = Self.call("get", service: service, account: account)
        let got: Data?
        do { got = try await store.get(service: service, account: account) } catch {
            throw refusal(call, expected: reason, got: "an error: \(error)")
        }
        guard got != password else { return }
        throw mismatch(call, expected: reason, got: Self.text(got))
    }

    /// Expects an error.
    nonisolated(nonsending) func expectError(
        of call: String,
        because reason: String,
        from body: nonisolated(nonsending) () async throws -> Data?
    ) async throws {
        let got: Data?
        do { got = try await body() } catch let error as MissingRequirement { throw error } catch { return }
        throw mismatch(call, expected: "an error: \(reason)", got: "no error, \(Self.text(got))")
    }

    /// Whether the store has what a rule needs.
    nonisolated(nonsending) func has(_ requirement: ContractRule.Requirement) async throws -> Bool {
        switch requirement {
        case .concurrency: store is any PasswordStoreContractSubject & ConcurrentContractSubject
        case .accessGroups: store is any GroupedPasswordStoreContractSubject
        case .adding: store is any AddingPasswordStoreContractSubject
        case .listing: store is any ListingPasswordStoreContractSubject
        case .clearing: store is any ClearingPasswordStoreContractSubject
        case .device: try await device.platform == .simulator ? false : reachesDevice()
        case .iOS: !device.platform.isMac
        }
    }

    func mismatch(_ call: String, expected: String, got: String) -> ContractMismatch {
        ContractMismatch(call: call, expected: expected, got: got)
    }

    /// The violation for an error where a keychain succeeds.
    private func refusal(_ call: String, expected: String, got: String) -> ContractMismatch {
        ContractMismatch(
            call: call,
            expected: expected,
            got: got,
            consequence: ContractMismatch.consequenceOfRefusal
        )
    }

    static func call(_ name: String, service: String = "mail", account: String = "ada") -> String {
        "\(name)(service: \"\(service)\", account: \"\(account)\")"
    }

    private static func text(_ data: Data?) -> String { data.map { "data of \($0.count) bytes" } ?? "nil" }

    /// Whether the store keeps its passwords in the keychain of the device.
    private nonisolated(nonsending) func reachesDevice() async throws -> Bool {
        try await set(Self.secret, service: "probe", account: "probe")
        return device.hasItems
    }
}

extension VirtualDevice {
    /// Whether the app that runs has stored anything.
    var hasItems: Bool {
        let classes = [kSecClassGenericPassword, kSecClassInternetPassword, kSecClassKey, kSecClassCertificate]
        return classes.contains { itemClass in
            let query: [CFString: Any] = [
                kSecClass: itemClass, kSecAttrSynchronizable: kSecAttrSynchronizableAny,
            ]
            return SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess
        }
    }
}

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
