// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore
import KeychainTestSupport
import SwiftASN1
import Testing

/// Files that are damaged, or made to do harm.
struct HostileFileTests {
    private static let file = Result { try Files.shared.get().pkcs12("hostile.p12", "-noiter -nomaciter") }

    @Test("a file that is cut off is refused")
    func truncated() throws {
        let bytes = try Self.file.get()
        for count in 0..<bytes.count {
            #expect(throws: ContainerError.self) { try PKCS12(Array(bytes.prefix(count)), password: "secret") }
        }
    }

    @Test("a byte that changes is noticed, or changes nothing")
    func altered() throws {
        let bytes = try Self.file.get()
        let contents = try PKCS12(bytes, password: "secret")
        var refused = 0
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x01
            do {
                let found = try PKCS12(other, password: "secret")
                #expect(found.privateKeys.map(\.privateKeyInfo) == contents.privateKeys.map(\.privateKeyInfo))
                #expect(found.certificates.map(\.der) == contents.certificates.map(\.der))
                #expect(found.certificates.map(\.names) == contents.certificates.map(\.names))
            } catch {
                refused += 1
            }
        }
        // What does not count: the parameters of the hash, which are null.
        #expect(refused >= bytes.count - 4)
    }

    @Test(
        "a number of iterations beyond the limit is refused before any is done",
        arguments: [[0x7F, 0xFF, 0xFF, 0xFF], [0x1E, 0x84, 0x81], [0x01, 0, 0, 0, 0, 0, 0]] as [[UInt8]]
    )
    func iterations(_ number: [UInt8]) throws {
        let bytes = try Self.file.get()
        // The last field of the file is the number of the integrity check, which is left out for one.
        var fields = try Self.fields(bytes)
        let check = try Self.fields(fields[2])
        fields[2] = TestDER.sequence(check[0], check[1], TestDER.integer(number))
        let error = #expect(throws: ContainerError.self) {
            try PKCS12(TestDER.sequence(fields[0], fields[1], fields[2]), password: "secret")
        }
        #expect(error?.kind == .unsupported)
    }

    @Test("no iteration at all is refused")
    func noIteration() throws {
        var fields = try Self.fields(Self.file.get())
        let check = try Self.fields(fields[2])
        fields[2] = TestDER.sequence(check[0], check[1], TestDER.integer(0))
        let error = #expect(throws: ContainerError.self) {
            try PKCS12(TestDER.sequence(fields[0], fields[1], fields[2]), password: "secret")
        }
        #expect(error?.kind == .malformed)
    }

    @Test("the integrity is checked before anything is decrypted")
    func integrityFirst() throws {
        let bytes = try Files.shared.get().pkcs12("first.p12", "-iter 2048 -nomaciter")
        // Were it looked at, the key derivation would be refused for its work.
        let count: [UInt8] = [0x02, 0x02, 0x08, 0x00]
        var greedy = bytes
        var found = 0
        for start in bytes.indices where bytes[start...].starts(with: count) {
            greedy[start + 2] = 0x7F
            found += 1
        }
        try #require(found > 0)
        let error = #expect(throws: ContainerError.self) { try PKCS12(greedy, password: "secret") }
        #expect(error?.kind == .wrongPassword)
    }

    @Test("safes inside safes without end are refused")
    func nested() {
        var bytes: [UInt8] = []
        for _ in 0..<10_000 { bytes = [0x30, 0x80] + bytes }
        let error = #expect(throws: ContainerError.self) { try PKCS12(bytes, password: "") }
        #expect(error?.kind == .malformed)
    }

    @Test("arbitrary edits leave a file that is refused, or holds the same")
    func edits() throws {
        let bytes = try Self.file.get()
        var generator = SeededGenerator(seed: 12)
        var refused = 0
        for _ in 0..<300 {
            var other = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<other.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: other[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: other.remove(at: index)
                default: other.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                }
            }
            refused += (try? PKCS12(other, password: "secret")) == nil ? 1 : 0
        }
        #expect(refused > 290)
    }

    /// The values inside a sequence.
    private static func fields(_ der: [UInt8]) throws -> [[UInt8]] {
        let node = try DER.parse(der)
        guard case .constructed(let parts) = node.content else { return [] }
        return parts.map { Array($0.encodedBytes) }
    }
}
