// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainRecipes
import Testing

@Suite("A secret in a file") struct FileSecretTests {
    private let place: TemporaryPlace

    init() throws { place = try TemporaryPlace() }

    @Test("is read, and removed for good") func readAndRemove() throws {
        let secret = FileSecret(try place.file("token", .secret))
        #expect(try secret.read() == .secret)
        try secret.remove(.secret)
        #expect(place.names.isEmpty)
        #expect(try secret.read() == nil)
        try secret.remove(.secret)
    }

    @Test("is absent only where there is no file") func absence() throws {
        #expect(try FileSecret(place.folder.appendingPathComponent("none")).read() == nil)
        let inNoFolder = FileSecret(place.folder.appendingPathComponent("none/token"))
        #expect(try inNoFolder.read() == nil)
        try inNoFolder.remove(.secret)
        #expect(try FileSecret(place.file("empty", Data())).read() == Data())
        #expect(throws: SecretSourceError.self) { try FileSecret(place.folder).read() }
        let below = FileSecret(try place.file("file", .secret).appendingPathComponent("token"))
        let error = try #require(throws: SecretSourceError.self) { try below.read() }
        #expect(error.reason == .unreadable)
    }

    @Test("that changed is not removed") func changed() throws {
        let secret = FileSecret(try place.file("token", .other))
        let error = try #require(throws: SecretSourceError.self) { try secret.remove(.secret) }
        #expect(error.reason == .changed)
        #expect(place.names == ["token"])
        #expect(!"\(error)".contains("0ther") && !"\(error)".contains("s3cret"))
    }

    @Test("with another name is refused, because it would stay there") func otherNames() throws {
        let file = try place.file("token", .secret)
        let link = place.folder.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(try #require(throws: SecretSourceError.self) { try FileSecret(link).read() }.reason == .hasOtherNames)
        try FileManager.default.linkItem(at: file, to: place.folder.appendingPathComponent("second"))
        #expect(try #require(throws: SecretSourceError.self) { try FileSecret(file).read() }.reason == .hasOtherNames)
        #expect(throws: SecretSourceError.self) { try FileSecret(file).remove(.secret) }
        #expect(place.names == ["link", "second", "token"])
    }

    @Test("that is large comes back whole") func large() throws {
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        #expect(try FileSecret(place.file("large", bytes)).read() == bytes)
    }
}
