// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImportsCommonCrypto
import ImportsCryptoKit
import ImportsFoundation
import ImportsLocalAuthentication
import ImportsOS
import ImportsSecurity
import LocalAuthentication
import Security
import Testing

@Suite struct PlainProductTests {
    private let service = "com.example.graphs.\(UUID())"

    @Test func addReadDeleteByImportOfSecurity() {
        let password = Password(service: service, account: "ada")
        #expect(password.add(Data("one".utf8)) == errSecSuccess)
        #expect(password.add(Data("two".utf8)) == errSecDuplicateItem)
        #expect(password.read() == (errSecSuccess, Data("one".utf8)))
        #expect(password.delete() == errSecSuccess)
        #expect(password.read() == (errSecItemNotFound, nil))
    }

    @Test func oneAddedFileIsEnoughForFilesThatImportFoundation() throws {
        let session = Session(user: "ada", expiry: Date(timeIntervalSince1970: 2_000_000_000))
        #expect(try Session.load(service: service) == nil)
        try session.save(service: service)
        #expect(try Session.load(service: service) == session)
        Session.forget(service: service)
        #expect(try Session.load(service: service) == nil)
    }

    @Test func importOfLocalAuthenticationAloneHasBoth() {
        let note = GuardedNote(service: service)
        #expect(note.save("remember") == errSecSuccess)
        #expect(note.load() == "remember")
        #expect(note.delete() == errSecSuccess)
        #expect(note.load() == nil)
        var error: NSError?
        let possible = LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: &error)
        #expect(possible == (obstacleToAuthentication() == nil))
    }

    @Test func commonCryptoIsThere() {
        let digest = fingerprint([Data("a".utf8), Data("bc".utf8)])
        #expect(digest.prefix(4) == [0xba, 0x78, 0x16, 0xbf])
    }

    @Test func osIsThereUnderItsAlias() {
        let counter = Counter()
        #expect((1...3).map { _ in counter.count() } == [1, 2, 3])
    }

    @Test func cryptoKitIsThere() throws {
        #expect(try Envelope().roundTrip(Data("hello".utf8)) == Data("hello".utf8))
    }
}
