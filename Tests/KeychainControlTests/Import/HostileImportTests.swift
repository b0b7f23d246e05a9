// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// Files for `keychainctl import` that are huge, damaged, of another version, or made to be expensive.
struct HostileImportTests {
    private var scene: ItemScene

    init() throws { scene = try ItemScene() }

    private func file(_ contents: Data) throws -> String {
        let path = scene.folder.path(of: UUID().uuidString)
        try contents.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// A file that is refused as a whole, and what is said of it.
    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let contents: @Sendable () -> Data
        let reason: String

        init(_ what: String, _ reason: String, contents: @escaping @Sendable () -> Data) {
            (testDescription, self.reason, self.contents) = (what, reason, contents)
        }

        init(_ what: String, _ reason: String, text: String) { self.init(what, reason) { Data(text.utf8) } }
    }

    static let refused: [Refused] = [
        Refused(
            "a column too many",
            "no known program writes a table with these columns: name, url, username, password, note, extra",
            text: "name,url,username,password,note,extra\na,,b,hunter2,,\n"
        ),
        Refused(
            "a column too few",
            "these columns: title, username, password",
            text: "title,username,password\na,b,hunter2\n"
        ),
        Refused(
            "columns in another order",
            "these columns: url, name, username, password",
            text: "url,name,username,password\n,a,b,hunter2\n"
        ),
        Refused("10,000 columns", "these columns: password, c1, c2") {
            let names = ["password"] + (1..<10_000).map { "c\($0)" }
            return Data((names.joined(separator: ",") + "\n" + String(repeating: "hunter2,", count: 10_000)).utf8)
        },
        Refused("10,000 columns without a header", "10000 columns, and none with a known name") {
            Data((String(repeating: "hunter2,", count: 9_999) + "x\n").utf8)
        },
        Refused("a quotation mark within a value", "line 2: something follows a closing quotation mark") {
            Data("name,url,username,password\na,,b,\"hunter2\"x\n".utf8)
        },
        Refused("JSON of 10,000 arrays in each other", "the nesting is too deep") {
            Data((String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)).utf8)
        },
        Refused("JSON of 10,000 objects in each other", "the nesting is too deep") {
            Data((String(repeating: "{\"a\":", count: 10_000) + "1" + String(repeating: "}", count: 10_000)).utf8)
        },
        Refused("JSON with a name twice", "a name is there twice", text: #"{"items": [], "items": ["hunter2"]}"#),
        Refused("JSON that is cut off", "no JSON", text: #"{"encrypted": false, "items": [{"name": "hunter2"#),
        Refused(
            "another version of our own JSON",
            "has version 2 of the format; this program reads 1",
            text: #"{"format": "swift-keychain passwords", "version": 2, "items": []}"#
        ),
        Refused("XML of 10,000 elements in each other", "too many elements in each other") {
            Data(("<KeePassFile>" + String(repeating: "<Group>", count: 10_000)).utf8)
        },
        Refused("XML with an entity", "the XML", text: "<KeePassFile>&hunter2;</KeePassFile>"),
        Refused("an archive of version 4", "version 4, not 1, 2 or 3") {
            StoredArchive.of(["export.attributes": #"{"version": 4}"#, "export.data": #"{"accounts": []}"#])
        },
        Refused("an archive without a version", "version none") {
            StoredArchive.of(["export.attributes": "{}", "export.data": #"{"accounts": []}"#])
        },
        Refused("an archive of something else", "no export of 1Password") { StoredArchive.of(["a.txt": "hunter2"]) },
        Refused("an archive with a changed byte", "damaged") {
            var archive = StoredArchive.of(["export.attributes": #"{"version": 3}"#, "export.data": "hunter2"])
            if let place = archive.firstRange(of: Data("hunter2".utf8)) { archive[place.lowerBound] ^= 1 }
            return archive
        },
        Refused("an archive with a name twice", "damaged") {
            var archive = StoredArchive()
            for _ in 0..<2 { archive.add("export.data", Data("{}".utf8)) }
            return archive.data
        },
        Refused("an archive that grows to more than it says", "damaged") {
            var archive = StoredArchive()
            archive.add("export.attributes", Data(#"{"version": 3}"#.utf8))
            archive.add("export.data", StoredArchive.bomb(repeating: 40_000), method: 8, count: 1_000)
            return archive.data
        },
        Refused("an archive that grows to more than is read", "has more than 268435456 bytes") {
            var archive = StoredArchive()
            archive.add("export.attributes", Data(#"{"version": 3}"#.utf8))
            archive.add("export.data", StoredArchive.bomb(repeating: 1_000), method: 8, count: 300 << 20)
            return archive.data
        },
        Refused("an archive with a method that is not known", "a method that is not known") {
            var archive = StoredArchive()
            archive.add("export.attributes", Data(#"{"version": 3}"#.utf8), method: 12)
            archive.add("export.data", Data())
            return archive.data
        },
        Refused("an encrypted archive", "the archive is encrypted") {
            var archive = StoredArchive()
            archive.add("export.data", Data(), flags: 1)
            return archive.data
        },
        Refused("a sealed file of another version of age", "none of json") {
            Data("age-encryption.org/v2\n-> x\n".utf8)
        },
        Refused("a sealed file with armor", "--age-identity") { Data("-----BEGIN AGE ENCRYPTED FILE-----\n".utf8) },
        Refused("bytes of no format", "neither UTF-8") { Data([0, 0xFF, 1, 2]) },
    ]

    @Test("is refused with the reason, repeats no secret, and leaves nothing in the keychain", arguments: refused)
    func refuses(_ given: Refused) throws {
        let outcome = try scene.run("import", try file(given.contents()))
        #expect(outcome.status == 1 && outcome.error.contains(given.reason), "\(outcome.error.prefix(500))")
        let said = outcome.output + outcome.error + outcome.remarks
        #expect(!said.contains("hunter2") && said.utf8.count < 2_000)
        #expect(try scene.run("list").output.isEmpty)
    }

    @Test("a table has any ends of lines, with or without a byte order mark, and any case of its header")
    func tables() throws {
        for (number, end) in ["\n", "\r\n"].enumerated() {
            for mark in ["", "\u{FEFF}"] {
                let text = ["Name,URL,Username,Password", "svc\(number)\(mark.isEmpty),,ada,\"x\(end)y\"", ""]
                let outcome = try scene.run("import", try file(Data((mark + text.joined(separator: end)).utf8)))
                #expect(outcome.status == 0, "\(outcome)")
                #expect(try scene.run("get", "svc\(number)\(mark.isEmpty)/ada").text == "x\(end)y")
            }
        }
    }

    @Test("a password of 16 MiB is taken, and one byte more is told, without ending the import")
    func large() throws {
        let most = String(repeating: "x", count: ItemLimits.secretByteCount)
        let text = "name,url,username,password\nfits,,ada,\(most)\nlarge,,ada,\(most)x\nlast,,ada,1\n"
        let outcome = try scene.run("import", try file(Data(text.utf8)))
        #expect(outcome.status == 1, "\(outcome.error.prefix(500))")
        #expect(outcome.output.contains("Added 2 passwords, 1 cannot be taken"), "\(outcome.output.prefix(500))")
        #expect(outcome.output.contains("large/ada (line 3): the password has more than 16777216 bytes"))
        #expect(try scene.run("get", "fits/ada").bytes.count == ItemLimits.secretByteCount)
        #expect(try scene.run("get", "last/ada").text == "1")
        // Attributes have a limit of their own.
        let notes = "name,url,username,password,note\nnote,,ada,1,\(most)x\nother,,ada,1,\n"
        let second = try scene.run("import", try file(Data(notes.utf8)))
        #expect(
            second.status == 1 && second.output.contains("Added 1 password, 1 cannot"),
            "\(second.error.prefix(500))"
        )
    }

    /// A `gpg` that is a script.
    private func importing(_ script: String) throws -> ItemScene.Outcome {
        let gpg = try scene.folder.makeProgram("gpg-\(UUID().uuidString)", script)
        var scene = scene
        scene.control.filter = { (words, input, limit) throws(Refusal) in
            try SecretFilter.run([gpg] + words.dropFirst(), input: input, atMost: limit)
        }
        let store = scene.folder.path(of: UUID().uuidString)
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        for name in ["a", "b", "c", "d"] {
            try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: "\(store)/\(name).gpg"))
        }
        return try scene.run("import", store)
    }

    @Test("a gpg that fails, that writes without an end, or that is not there ends the import before it adds anything")
    func failingDecryption() throws {
        for (script, reason) in [
            ("echo hunter2; exit 2", "failed with status 2"), ("exec cat /dev/zero", "writes more than 16777216 bytes"),
            ("kill -9 $$", "failed with status 137"), ("exit 127", "is not installed"),
        ] {
            let outcome = try importing(script)
            #expect(outcome.status == 1 && outcome.error.contains(reason), "\(outcome)")
            #expect(!"\(outcome)".contains("hunter2"))
            #expect(try scene.run("list").output.isEmpty)
        }
    }

    @Test("an entry that gpg cannot decrypt is told, and the others are taken")
    func undecryptable() throws {
        let outcome = try importing("read -r name; [ \"$name\" != c ] || exit 2; echo \"secret-$name\"")
        #expect(outcome.status == 1 && outcome.output.contains("Added 3 passwords, 1 cannot be taken"), "\(outcome)")
        #expect(outcome.output.contains("c: '") && outcome.output.contains("failed with status 2"), "\(outcome)")
        #expect(try scene.run("get", "d").text == "secret-d")
    }

    @Test("a gpg that asks has neither our input nor our terminal for it: only its agent's own window")
    func askingDecryption() throws {
        let script = "[ \"$1 $2\" = '--quiet --batch' ] || exit 3; cat > /dev/null; echo secret"
        let outcome = try importing(script)
        #expect(outcome.status == 0 && outcome.output.contains("Added 4 passwords"), "\(outcome)")
    }
}

/// An archive as a program could make it, with whatever it says of its files.
struct StoredArchive {
    private var body = Data()
    private var directory = Data()
    private var count = 0

    /// An archive of files that are not compressed.
    static func of(_ files: [String: String]) -> Data {
        var archive = StoredArchive()
        for (name, text) in files.sorted(by: { $0.key < $1.key }) { archive.add(name, Data(text.utf8)) }
        return archive.data
    }

    /// Adds a file of some compressed bytes; `count` is how many it says that it has without compression.
    mutating func add(_ name: String, _ bytes: Data, method: Int = 0, count size: Int? = nil, flags: Int = 0) {
        let code = Int(CRC32.code(of: bytes))
        let fields = [(20, 2), (flags, 2), (method, 2), (0, 4), (code, 4), (bytes.count, 4), (size ?? bytes.count, 4)]
        let name = Data(name.utf8)
        let offset = body.count
        body += Self.numbers([(0x0403_4B50, 4)] + fields + [(name.count, 2), (0, 2)]) + name + bytes
        directory += Self.numbers(
            [(0x0201_4B50, 4), (20, 2)] + fields + [(name.count, 2), (0, 2), (0, 2), (0, 2), (0, 2)]
        )
        directory += Self.numbers([(0, 4), (offset, 4)]) + name
        count += 1
    }

    /// The archive.
    var data: Data {
        let end = [
            (0x0605_4B50, 4), (0, 2), (0, 2), (count, 2), (count, 2), (directory.count, 4), (body.count, 4), (0, 2),
        ]
        return body + directory + Self.numbers(end)
    }

    /// A stream of DEFLATE: a zero, and then so many times the 258 before (RFC 1951, 3.2.6), 13 bits each.
    static func bomb(repeating count: Int) -> Data {
        var bits: [Bool] = [true, true, false]
        func add(_ code: Int, _ length: Int) {
            for bit in (0..<length).reversed() { bits.append(code >> bit & 1 == 1) }
        }
        add(0x30, 8)
        for _ in 0..<count {
            add(0xC5, 8)
            add(0, 5)
        }
        add(0, 7)
        var bytes = Data()
        for start in stride(from: 0, to: bits.count, by: 8) {
            bytes.append(
                bits[start..<min(start + 8, bits.count)].enumerated().reduce(0) {
                    $0 | ($1.element ? 1 << $1.offset : 0)
                }
            )
        }
        return bytes
    }

    private static func numbers(_ fields: [(Int, Int)]) -> Data {
        Data(fields.flatMap { number, size in (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } })
    }
}
