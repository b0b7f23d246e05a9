// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTesting
import Security
import Testing

@testable import Keychain

@Suite("What errors say")
struct StatusGuideTests {
    /// The statuses that the engine gives are those that have a name in `Status`: its source is the list.
    static func statuses() throws -> [Int32] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(
            contentsOf: root.appendingPathComponent("Sources/Values/KeychainCore/Status/Status.swift"),
            encoding: .utf8
        )
        return source.matches(of: /Status\(rawValue: (-?[0-9]+)\)/).compactMap { Int32($0.1) }.filter { $0 != 0 }
    }

    @Test("Every status of the engine has its own reason and advice")
    func complete() throws {
        let statuses = try Self.statuses()
        #expect(statuses.count >= 19)
        for status in statuses {
            #expect(StatusGuide.rows.contains { $0.status == status }, "\(Status(rawValue: status))")
        }
    }

    @Test("Every kind has a row, and every row says something")
    func kinds() {
        for kind in KeychainItemError.Kind.allCases { #expect(StatusGuide.rows.contains { $0.kind == kind }) }
        for row in StatusGuide.rows {
            #expect(!row.reason.isEmpty && !row.advice.isEmpty)
            #expect(StatusGuide.row(of: row.status, row.kind).reason == row.reason)
        }
        #expect(Set(StatusGuide.rows.map { "\($0.status) \($0.kind)" }).count == StatusGuide.rows.count)
    }

    @Test("An unknown status is kept")
    func unknown() {
        let error = KeychainItemError(status: -12_345, operation: .read, item: GenericPassword(service: "s"))
        #expect(error.kind == .other)
        #expect(error.status == -12_345)
        #expect(error.description.contains("-12345"))
        #expect(error.description.contains("generic password (service 's')"))
    }

    @Test("How an authentication ends", arguments: AuthenticationFailure.allCases)
    func authentication(failure: AuthenticationFailure) {
        let found = TransportFailure(KeychainError(failure))
        let error = KeychainItemError(status: found.status, operation: .read, kind: found.kind, reason: found.reason)
        let expected: KeychainItemError.Kind =
            switch failure {
            case .userCancel: .cancelled
            case .notInteractive: .authenticationRequired
            default: .authenticationFailed
            }
        #expect(error.kind == expected)
    }

    @Test("A locked device has its own kind of error")
    func locked() {
        let found = TransportFailure(KeychainError(.interactionNotAllowed, "the device is locked"))
        #expect(found.kind == .locked)
        #expect(KeychainItemError(status: errSecInteractionNotAllowed, operation: .read).kind == .locked)
    }

    private struct Settings: Codable, Equatable, KeychainStorable {
        var name: String
        var inner: Inner
        struct Inner: Codable, Equatable { var number: Int }
    }

    @Test("A stored value that is something else is an error without the value", .keychain)
    func undecodable() throws {
        let keychain = SystemKeychain()
        let item = GenericPassword(service: "s")
        let secret = #"{"name": "topsecret", "inner": {"number": "topsecret"}}"#
        try keychain.set(secret, for: item, protection: .accessible(.whenUnlocked))
        let value = failure { () throws(KeychainItemError) in try keychain.value(Settings.self, for: item) }
        #expect(value?.kind == .undecodableValue)
        #expect(value?.reason.contains("at depth 2") == true)
        #expect(value.map { "\($0) \($0.errorDescription ?? "")" }?.contains("topsecret") == false)
        try keychain.set(Data([0xFF]), for: item, protection: .accessible(.whenUnlocked))
        let text = failure { () throws(KeychainItemError) in try keychain.string(for: item) }
        #expect(text?.kind == .undecodableValue)
        #expect(text?.status == errSecDecode)
        let settings = Settings(name: "n", inner: .init(number: 1))
        try keychain.set(settings, for: item, protection: .accessible(.whenUnlocked))
        #expect(try keychain.value(Settings.self, for: item) == settings)
        let infinite = failure { () throws(KeychainItemError) in
            try keychain.set([Double.infinity], for: item, protection: .accessible(.whenUnlocked))
        }
        #expect(infinite?.kind == .unencodableValue)
        #expect(try keychain.value(Settings.self, for: item) == settings)
    }
}
