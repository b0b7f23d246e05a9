// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainFiles

/// The access of an item as it is sealed in a keychain file.
struct SealedContentsTests {
    private static let own = ItemAccess(
        entries: [
            AccessEntry([.any], for: [TrustedApplication(path: "/bin/a")], "own", prompt: 0x81),
            AccessEntry([.decrypt, .deleteItem], for: [TrustedApplication(path: "/bin/b")], ""),
            AccessEntry([.partitions], for: nil, "apple-tool:, apple:"),
            AccessEntry([.changeAccess], for: nil, "é"),
        ]
    )

    private func contents(_ access: ItemAccess) -> SealedContents {
        SealedContents(
            access: access,
            secret: SecretBytes([1, 2, 3]),
            attributes: Array(repeating: 0xAB, count: AttributeDigest.byteCount)
        )
    }

    private func json(_ contents: SealedContents) throws -> JSONValue {
        let bytes = contents.encoded.unprotectedCopy
        return try JSONParser.parse(bytes[4..<(bytes.count - 3)])
    }

    private func contents(_ json: JSONValue) throws(KeychainError) -> SealedContents {
        let text = Array(json.text.utf8)
        let length = [0, 0, UInt8(text.count >> 8), UInt8(text.count & 0xFF)]
        return try SealedContents(SecretBytes(length + text + [1, 2, 3]))
    }

    @Test("an access of SecAccessCreate is stored without entries, and has them again")
    func plain() throws {
        let programs: [[TrustedApplication]?] = [nil, [], [TrustedApplication(path: "/bin/a")]]
        for (programs, partitions) in zip(programs, [[], ["apple:"], ["apple-tool:", "teamid:A"]]) {
            let access = ItemAccess(descriptor: "d", trustedApplications: programs, partitions: partitions)
            let contents = contents(access)
            #expect(try json(contents)["entries"] == .null)
            #expect(try SealedContents(contents.encoded) == contents)
            #expect(access.trustedApplications == programs)
            #expect(access.partitions == partitions)
            #expect(access.entries.count == (partitions.isEmpty ? 3 : 4))
            #expect(access.entries.last?.isOfOwner == true)
        }
    }

    @Test(
        "an access without entries whose lists have odd members comes back as it was read",
        arguments: [
            (JSONValue.strings(["/bin/a", "/bin/a"]), JSONValue.strings([])), (.strings([""]), .strings([""])),
            (.null, .strings(["a,b", "", " c"])), (.array([.integer(1)]), .array([.null, .string("apple:")])),
        ]
    )
    func oddMembers(_ programs: JSONValue, _ partitions: JSONValue) throws {
        let plain = ItemAccess(descriptor: "d", trustedApplications: [])
        var members = try #require(try json(contents(plain)).members)
        members["trustedApplications"] = programs
        members["partitions"] = partitions
        let read = try contents(.object(members))
        #expect(try SealedContents(read.encoded) == read)
        #expect((read.access.trustedApplications == nil) == (programs == .null))
    }

    @Test("any other access is stored with its entries, and with what they come to for earlier versions")
    func entries() throws {
        let contents = contents(Self.own)
        #expect(try SealedContents(contents.encoded) == contents)
        let json = try json(contents)
        #expect(json["entries"].elements?.count == 4)
        #expect(json["trustedApplications"] == .strings(["/bin/a", "/bin/b"]))
        #expect(json["partitions"] == .strings(["apple-tool:", "apple:"]))
    }

    @Test(
        "entries that are not understood allow nothing",
        arguments: [
            ("authorizations", JSONValue.strings(["unknown"])), ("authorizations", .null),
            ("authorizations", .array([.integer(1)])), ("applications", .string("/bin/a")),
            ("description", .null), ("prompt", .integer(65536)), ("prompt", .real(0.5)),
        ]
    )
    func unknownEntries(_ member: String, _ value: JSONValue) throws {
        var members = try #require(try json(contents(Self.own)).members)
        var entries = try #require(members["entries"]?.elements)
        var entry = try #require(entries[1].members)
        entry[member] = value
        entries[1] = .object(entry)
        members["entries"] = .array(entries)
        let error = #expect(throws: KeychainError.self) { try contents(.object(members)) }
        #expect(error?.status == .decode)
        members["entries"] = .string("all")
        #expect(throws: KeychainError.self) { try contents(.object(members)) }
    }

    @Test("programs and partitions change in the entries that have them, or in new ones before the owner's")
    func changes() {
        var access = Self.own
        access.trustedApplications = nil
        #expect(access.entries.map(\.applications) == [nil, nil, nil, nil])
        access.partitions = []
        #expect(!access.hasPartitionList)
        var bare = ItemAccess(entries: [AccessEntry([.changeAccess], for: [], "d")])
        #expect(bare.trustedApplications == [])
        bare.trustedApplications = [TrustedApplication(path: "/bin/a")]
        bare.partitions = ["apple:"]
        #expect(bare.entries.map(\.isOfOwner) == [false, false, true])
        #expect(bare.trustedApplications == [TrustedApplication(path: "/bin/a")])
        #expect(bare.partitions == ["apple:"])
        bare.partitions = ["a:", "b:"]
        #expect(bare.entries.count == 3)
        #expect(bare.partitions == ["a:", "b:"])
    }
}
