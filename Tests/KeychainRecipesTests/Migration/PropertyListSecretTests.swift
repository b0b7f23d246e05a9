// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainRecipes
import Synchronization
import Testing

@Suite("A secret in a property list") struct PropertyListSecretTests {
    private let place: TemporaryPlace

    init() throws { place = try TemporaryPlace() }

    private static let date = Date(timeIntervalSinceReferenceDate: 1_000)

    private func list() -> [String: Any] {
        [
            "token": "s3cret", "flag": true, "number": 42, "real": 1.5, "date": Self.date, "bytes": Data([1, 2]),
            "nested": ["one", ["two": false]] as [Any],
        ]
    }

    @Test("is taken out, and the rest stays as it was", arguments: [true, false])
    func remove(binary: Bool) throws {
        let url = try place.list(list(), binary ? .binary : .xml)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
        let secret = PropertyListSecret(url, key: "token")
        #expect(try secret.read() == .secret)
        try secret.remove(.secret)

        #expect(place.names == ["list.plist"])
        #expect(try secret.read() == nil)
        var format = PropertyListSerialization.PropertyListFormat.openStep
        let bytes = try Data(contentsOf: url)
        let rest = try #require(
            try PropertyListSerialization.propertyList(from: bytes, options: [], format: &format) as? [String: Any]
        )
        #expect(format == (binary ? .binary : .xml))
        var expected = list()
        expected["token"] = nil
        #expect(NSDictionary(dictionary: rest) == NSDictionary(dictionary: expected))
        if !binary { #expect(String(decoding: bytes, as: UTF8.self).contains("<true/>")) }
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(bytes.range(of: .secret) == nil)
    }

    @Test("may be bytes") func bytes() throws {
        let secret = PropertyListSecret(try place.list(["token": Data.secret], .binary), key: "token")
        #expect(try secret.read() == .secret)
        try secret.remove(.secret)
        #expect(try secret.read() == nil)
    }

    @Test("is absent only where there is no list, or no such key") func absence() throws {
        let url = try place.list(["other": "value"], .xml)
        #expect(try PropertyListSecret(url, key: "token").read() == nil)
        #expect(try PropertyListSecret(place.folder.appendingPathComponent("none"), key: "token").read() == nil)
        try PropertyListSecret(url, key: "token").remove(.secret)
        for contents in ["", "no list", "<plist version=\"1.0\"><array/></plist>"] {
            let broken = PropertyListSecret(try place.file("broken", Data(contents.utf8)), key: "token")
            let error = try #require(throws: SecretSourceError.self) { try broken.read() }
            #expect(error.reason == .malformed)
        }
        let number = PropertyListSecret(try place.list(["token": 1], .xml), key: "token")
        #expect(try #require(throws: SecretSourceError.self) { try number.read() }.reason == .malformed)
    }

    @Test("that changed is not removed") func changed() throws {
        let secret = PropertyListSecret(try place.list(["token": "0ther"], .xml), key: "token")
        #expect(try #require(throws: SecretSourceError.self) { try secret.remove(.secret) }.reason == .changed)
        #expect(try secret.read() == .other)
    }

    @Test("is taken out of a list of the old text form, which is written as XML") func openStep() throws {
        let url = try place.file("old.plist", Data("{ token = s3cret; a = b; }".utf8))
        let secret = PropertyListSecret(url, key: "token")
        #expect(try secret.read() == .secret)
        try secret.remove(.secret)
        #expect(try secret.read() == nil)
        #expect(try PropertyListSecret(url, key: "a").read() == Data("b".utf8))
    }

    @Test("each is removed where many are taken out of one list at the same time") func concurrentRemovals() throws {
        let keys = (0..<8).map { "token\($0)" }
        let rest = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0) })
        var list: [String: Any] = ["rest": rest]
        for key in keys { list[key] = "s3cret" }
        let failures = Mutex<[SecretSourceError]>([])
        for _ in 0..<5 {
            let url = try place.list(list, .binary)
            DispatchQueue.concurrentPerform(iterations: keys.count) { index in
                do throws(SecretSourceError) {
                    try PropertyListSecret(url, key: keys[index]).remove(.secret)
                } catch { failures.withLock { $0.append(error) } }
            }
            for key in keys { #expect(try PropertyListSecret(url, key: key).read() == nil) }
            #expect(try PropertyListSecret(url, key: "rest").read() == rest)
            #expect(place.names == ["list.plist"])
        }
        #expect(failures.withLock { $0 }.isEmpty)
    }

    @Test("is removed over what an interrupted run left") func leftover() throws {
        let secret = PropertyListSecret(try place.list(["token": "s3cret"], .xml), key: "token")
        _ = try place.file(".list.plist.migrating", Data("half".utf8))
        _ = try place.file(".list.plist.0.migrating", Data("half".utf8))
        _ = try place.file(".other.plist.0.migrating", Data("of another list".utf8))
        try secret.remove(.secret)
        #expect(place.names == [".other.plist.0.migrating", "list.plist"])
    }
}
