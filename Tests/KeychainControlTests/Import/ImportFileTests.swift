// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl import` of files, by what other programs write.
struct ImportFileTests {
    private var scene: ItemScene

    init() throws { scene = try ItemScene() }

    /// A file, and what the keychain has afterwards.
    struct Sample: Sendable, CustomTestStringConvertible {
        let format: ImportFormat
        let text: String
        /// References, with their secrets.
        let secrets: [String: String]
        /// What is counted, as the last lines have it.
        var leftOut: [String] = []
        var comments: [String: String] = [:]

        var testDescription: String { format.rawValue }
    }

    static let samples: [Sample] = [
        Sample(
            format: .chromiumCSV,
            text: "name,url,username,password,note\r\ngithub.com,https://github.com/login,ada,\"p,\"\"w\nq\",hello\r\n"
                + "app,android://x@com.example/,ada,,\r\n",
            secrets: ["keychain://github.com/ada?protocol=https": "p,\"w\nq", "keychain://app/ada": ""],
            comments: ["keychain://github.com/ada": "hello\nURL: https://github.com/login"]
        ),
        Sample(
            format: .firefoxCSV,
            text: "\"url\",\"username\",\"password\",\"httpRealm\",\"formActionOrigin\",\"guid\",\"timeCreated\","
                + "\"timeLastUsed\",\"timePasswordChanged\"\r\n\"https://example.com:8443\",\"ada\",\"x\",\"Area\",,"
                + "\"{1}\",\"1\",\"2\",\"3\"\r\n",
            secrets: ["keychain://example.com/ada?port=8443&domain=Area": "x"],
            leftOut: ["1 × identifier of the browser", "3 × time"]
        ),
        Sample(
            format: .appleCSV,
            text: "Title,URL,Username,Password,Notes,OTPAuth\nExample,https://example.com/,ada,x,,"
                + "otpauth://totp/e?secret=JBSWY3DPEHPK3PXP\n",
            secrets: [
                "keychain://example.com/ada": "x",
                "keychain://Example%20(otp)/ada": "otpauth://totp/e?secret=JBSWY3DPEHPK3PXP",
            ]
        ),
        Sample(
            format: .onePasswordCSV,
            text: "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\nMail,,ada,x,,true,false,a;b,n\n",
            secrets: ["keychain://Mail/ada": "x"],
            leftOut: ["1 × list of tags", "1 × mark as favorite"]
        ),
        Sample(
            format: .keepassCSV,
            text: "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Notes\",\"TOTP\",\"Icon\",\"Last Modified\","
                + "\"Created\"\n\"Root\",\"Bank\",\"ada\",\"x\",\"bank.example.com\",\"\",\"\",\"0\","
                + "\"2026-01-01T00:00:00Z\",\"2026-01-01T00:00:00Z\"\n",
            secrets: ["keychain://Bank/ada": "x"],
            leftOut: ["1 × group", "2 × time"],
            comments: ["keychain://Bank/ada": "URL: bank.example.com"]
        ),
        Sample(
            format: .keepassXML,
            text: """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <KeePassFile><Meta><RecycleBinUUID>bin</RecycleBinUUID></Meta><Root><Group><UUID>a</UUID><Name>Root</Name>
                <Entry><UUID>1</UUID><String><Key>Title</Key><Value>A &amp; B</Value></String>
                <String><Key>UserName</Key><Value>ada</Value></String>
                <String><Key>Password</Key><Value ProtectInMemory="True">&lt;x&#10;</Value></String>
                <String><Key>PIN</Key><Value ProtectInMemory="True">1</Value></String>
                <Times><CreationTime>a</CreationTime><LastAccessTime>b</LastAccessTime><ExpiryTime>c</ExpiryTime>
                <Expires>True</Expires></Times>
                <History><Entry><String><Key>Title</Key><Value>Old</Value></String></Entry></History></Entry>
                <Group><UUID>bin</UUID><Entry><String><Key>Title</Key><Value>Gone</Value></String></Entry></Group>
                <Entry><String><Key>Title</Key><Value>Second</Value></String></Entry></Group></Root></KeePassFile>
                """,
            secrets: [
                "keychain://A%20%26%20B/ada": "<x\n", "keychain://A%20%26%20B%20(PIN)/ada": "1",
                "keychain://Second": "",
            ],
            leftOut: [
                "1 × entry in the recycle bin", "1 × former version of an entry", "1 × time", "1 × expiry",
            ]
        ),
        Sample(
            format: .bitwarden,
            text: """
                {"encrypted": false, "folders": [], "items": [{"passwordHistory": null, "id": "1", "type": 1,
                "reprompt": 0, "name": "Example", "notes": null, "favorite": true, "collectionIds": null,
                "creationDate": "2026-01-01T00:00:00.000Z", "revisionDate": "2026-01-01T00:00:00.000Z", "deletedDate": null,
                "fields": [{"name": "PIN", "value": "1", "type": 1}, {"name": "Colour", "value": "red", "type": 0}],
                "login": {"fido2Credentials": [], "uris": [{"match": null, "uri": "https://example.com"},
                {"match": null, "uri": "https://www.example.com"}], "username": "ada", "password": "x", "totp": null}},
                {"type": 2, "name": "Note", "notes": "line 1\\nline 2", "secureNote": {"type": 0}},
                {"type": 3, "name": "Card", "card": {"number": "4111"}}]}
                """,
            secrets: [
                "keychain://example.com/ada": "x", "keychain://Example%20(PIN)/ada": "1",
                "keychain://Note": "line 1\nline 2", "keychain://Card": "{\n  \"number\": \"4111\"\n}",
            ],
            leftOut: ["1 × mark as favorite", "2 × time"],
            comments: ["keychain://example.com/ada": "Colour: red\nURL: https://www.example.com"]
        ),
        Sample(
            format: .env,
            text: "# comment\r\nexport TOKEN=abc\r\nEMPTY=\nQUOTED=\"a\\nb\"\nREF=keychain://x/y\n",
            secrets: ["keychain://TOKEN": "abc", "keychain://EMPTY": "", "keychain://QUOTED": "a\nb"],
            leftOut: ["1 × reference to a password"]
        ),
        Sample(
            format: .netrc,
            text: "machine example.com\r\n  login ada password #1\r\n# comment\nmacdef init\nls\n\n"
                + "machine b.example.com login bob password \"x \\\" y\"\n",
            secrets: ["keychain://example.com/ada?protocol=https": "#1", "keychain://b.example.com/bob": "x \" y"],
            leftOut: ["1 × macro"]
        ),
    ]

    @Test("each format is recognized by its content, and nothing is left without a word", arguments: samples)
    func formats(_ sample: Sample) throws {
        let path = try file(Data(sample.text.utf8))
        let rehearsal = try scene.run("import", path, "--dry-run")
        #expect(rehearsal.status == 0 && rehearsal.output.contains("(\(sample.format.rawValue))"), "\(rehearsal)")
        #expect(try scene.run("list").output.isEmpty)
        let outcome = try scene.run("import", "file", path)
        #expect(outcome.status == 0, "\(outcome)")
        for line in sample.leftOut { #expect(outcome.output.contains(line), "\(outcome.output)") }
        for (reference, secret) in sample.secrets {
            let got = try scene.run("get", reference)
            #expect(got.status == 0 && got.text == secret, "\(reference): \(got)")
        }
        for (reference, comment) in sample.comments {
            #expect(try scene.run("get", reference, "--field", "comment").text == comment)
        }
        let again = try scene.run("import", path)
        #expect(
            again.status == 0 && again.output.contains("Added 0 passwords, \(sample.secrets.count) in the keychain")
        )
    }

    @Test("UTF-16 and byte order marks are read; other encodings are refused")
    func encodings() throws {
        let text = "name,url,username,password\r\nä,,ada,x\r\n"
        let utf16 = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let swapped = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        for bytes in [[0xEF, 0xBB, 0xBF] + Array(text.utf8), [0xFF, 0xFE] + utf16, [0xFE, 0xFF] + swapped] {
            #expect(try scene.run("import", try file(Data(bytes))).status == 0)
            #expect(try scene.run("get", "ä/ada").text == "x")
        }
        let latin = try scene.run("import", try file(Data([0xE4, 0x2C, 0x0A])))
        #expect(latin.status == 1 && latin.error.contains("neither UTF-8"))
    }

    @Test(
        "what no known program writes is refused, with the columns of a header, and never a record",
        arguments: [
            ("url,username,password,totp,extra,name,grouping,fav\nu,a,hunter2,,,n,,0\n", "totp, extra, name"),
            ("username,username2,username3,title,password,note,url,category,otpSecret\n", "username2, username3"),
            (
                "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n",
                "export as JSON"
            ),
            ("github,https://github.com,ada,hunter2\n", "none with a known name"),
            ("{\"encrypted\": true, \"data\": \"x\"}", "encrypted export of Bitwarden"),
            ("{\"other\": 1}", "with these members: other"), ("", "is empty"), ("<html></html>", "not that of KeePass"),
            ("<!DOCTYPE x><KeePassFile/>", "document type"), ("just some words", "none of json"),
            ("name,url,username,password\na,b,\"hunter2", "line 2: a quotation mark is not closed"),
            ("name,url,username,password\na,b,c,hunter2,e\n", "line 2: the record has 5 fields, the header 4"),
            ("{\"format\": \"swift-keychain passwords\", \"version\": 2}", "has version 2"),
        ]
    )
    func refusals(_ text: String, _ reason: String) throws {
        let outcome = try scene.run("import", try file(Data(text.utf8)))
        #expect(outcome.status == 1 && outcome.error.contains(reason), "\(outcome)")
        #expect(!"\(outcome)".contains("hunter2"))
    }

    @Test("what the keychain has otherwise stays, is replaced, or gets a neighbour; never by another of the same file")
    func collisions() throws {
        _ = try scene.run("set", "svc/ada", input: "own")
        let path = try file(Data("name,url,username,password\nsvc,,ada,theirs\nsvc,,ada,second\n".utf8))
        let skipped = try scene.run("import", path)
        #expect(skipped.status == 1 && skipped.output.contains("svc/ada (line 2): password"), "\(skipped)")
        #expect(!skipped.output.contains("theirs") && !skipped.output.contains("own:"))
        #expect(try scene.run("get", "svc/ada").text == "own")
        let kept = try scene.run("import", path, "--keep-both")
        #expect(kept.status == 0 && kept.output.contains("Added 2 passwords"), "\(kept)")
        #expect(
            try scene.run("get", "svc (2)/ada").text == "theirs" && scene.run("get", "svc (3)/ada").text == "second"
        )
        #expect(try scene.run("import", path, "--keep-both").output.contains("Added 0 passwords, 2 in the keychain"))
        let replaced = try scene.run("import", path, "--replace")
        #expect(replaced.status == 1 && replaced.output.contains("1 replaced"), "\(replaced)")
        #expect(try scene.run("get", "svc/ada").text == "theirs")
    }

    @Test("a locked keychain, endless input, and a folder that is no store are refused")
    func obstacles() throws {
        let endless = try scene.run("import", "/dev/zero")
        #expect(endless.status == 1 && endless.error.contains("has more than"), "\(endless)")
        let folder = try scene.run("import", scene.folder.path)
        #expect(folder.status == 1 && folder.error.contains("no store of pass"), "\(folder)")
        #expect(try scene.run("import", scene.folder.path(of: "none")).status == 1)
        let path = try file(Data("name,url,username,password\nsvc,,ada,x\n".utf8))
        try scene.lock()
        #expect(try scene.run("import", path).status == 5)
    }

    @Test("an entry of pass is its first line, its lines of a login, its keys, and a comment of the rest")
    func pass() throws {
        var scene = scene
        scene.control.filter = { (words, input, limit) throws(Refusal) in
            guard words == ["gpg", "--quiet", "--batch", "--decrypt"] else { throw Refusal("other words") }
            return SecretBytes(DescriptorContentsReader.bytes(of: input, atMost: limit))
        }
        let store = scene.folder.path(of: "store")
        try FileManager.default.createDirectory(atPath: "\(store)/web", withIntermediateDirectories: true)
        let entries = [
            "web/ada": "x\r\nurl: https://e.example\r\n\r\nPIN 1\n", "web/site": "y\nlogin: bob\n",
            "single": "z\notpauth://totp/e?secret=JBSWY3DPEHPK3PXP\n", "empty": "\nnote\n",
        ]
        for (name, text) in entries { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(store)/\(name).gpg")) }
        try FileManager.default.createSymbolicLink(atPath: "\(store)/link.gpg", withDestinationPath: "single.gpg")
        try Data([0xFF, 0x0A]).write(to: URL(fileURLWithPath: "\(store)/bytes.gpg"))
        let outcome = try scene.run("import", store)
        #expect(outcome.status == 1 && outcome.output.contains("link.gpg: it is a link"), "\(outcome)")
        #expect(try scene.run("get", "web/ada").text == "x" && scene.run("get", "web/site").text == "y")
        #expect(try scene.run("get", "web/site/bob").text == "y" && scene.run("get", "empty").text.isEmpty)
        #expect(try scene.run("get", "web/ada", "--field", "comment").text == "url: https://e.example\n\nPIN 1")
        #expect(try scene.run("get", "single (otp)").text.hasPrefix("otpauth://"))
        #expect(try scene.run("get", "bytes").bytes == Data([0xFF, 0x0A]))
    }

    @Test("an archive of 1Password is read in memory; a damaged, oversized or foreign one is refused")
    func archive() throws {
        let data = try #require(Data(base64Encoded: Self.onePux))
        let outcome = try scene.run("import", try file(data))
        #expect(outcome.status == 0 && outcome.output.contains("1 × attachment"), "\(outcome)")
        #expect(try scene.run("get", "keychain://example.com/ada").text == "pw,\"1\n")
        #expect(try scene.run("get", "keychain://Example%20(PIN)/ada").text == "4321")
        for count in stride(from: 2, to: data.count - 1, by: 7) {
            #expect(try scene.run("import", try file(data.prefix(count))).status == 1)
        }
        // What is said of the sizes is not believed.
        var bomb = data
        let place = try #require(bomb.range(of: Data([0x50, 0x4B, 0x01, 0x02]))).lowerBound
        bomb.replaceSubrange(place + 24..<place + 28, with: [0xFF, 0xFF, 0xFF, 0x7F])
        #expect(try scene.run("import", try file(bomb)).error.contains("has more than"))
    }

    private func file(_ contents: Data) throws -> String {
        let path = scene.folder.path(of: UUID().uuidString)
        try contents.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// An archive as 1Password writes them, with one login.
    private static let onePux = """
        UEsDBBQAAAAIAAAAIVwbPR6KUAAAAFYAAAARAAAAZXhwb3J0LmF0dHJpYnV0ZXOrVipLLSrOzM9TslIw1lFQSkktTi7KLCiB\
        iCgZBiQWF5fnF6UohOal5iUXVRaUpKYouFYU5BeVKAGVJxelJgJFHEuAig1NLUyNjY1NzSxrAVBLAwQUAAAACAAAACFc7CTj\
        pAYCAAA4BAAACwAAAGV4cG9ydC5kYXRhjVLvb9MwEP1XKn8etGmSapuEoIihDSQUaZsAsQq58bUzc+xgn9N2Vf53fE7WH2NI\
        KF8u9+69d3e+LeNlabxGx84HP7aMI1oKt0zzCkLApoKz9mTAGu7Vv6sKsM5ormKpRKj6Su+lIHzxYP3m0SohH/1vpXmz+JUu\
        FS6AhfoFb660gHUoTMJvaYEjiCnS/yTJxmenZ/kkAL4WB0Cap9kky/IAOAx5suElyiZqliGzNHZz2zcwGiWUFoBcqq53ZZZS\
        f5SgRN9sw5XvZMLMNEdkUvQ0pndgY0xdE/NmU0fgphN3cqk5SqOPisNODsTr1ckdS+70yw41d25lrPjLoXjBYVfczkjCILhC\
        cRkxPqB/IjkoidAPiRJVFLyG0luJm0N3l+x8n5cXV1/2HdcsXkQ30ZaVRpfAFUQsS8dJdwb0plO8Nt6WVDeKe9gJWihNA3az\
        V7XHqlCFp9pHP7kQFpzrH+gdrHlVK3hdmop4tTWNFGADrL1SbXvsZjS8QlnB4HDBnS0e26LBOjKw5h7vz4dDygzXb8MeLeCb\
        T++vv35PPxQXl8XntPhWsLadxf0/KV9Kh+Hynt2UUdGSeqDzzfLTdDxO8zyQQ5o20UhYxQ6cn+/6Jo63qn8NxedAK2ErmDvZ\
        PW9AKXOPWLvQ7MFahvHCu+PYCV50+H8xiceX0ZuFyR7YLM4avj9QSwMEFAAAAAgAAAAhXLvZX3kMAAAACgAAABQAAABmaWxl\
        cy9hYmNfX19ub3RlLnR4dEssKUlMzshNzSsBAFBLAQIUAxQAAAAIAAAAIVwbPR6KUAAAAFYAAAARAAAAAAAAAAAAAACAAQAA\
        AABleHBvcnQuYXR0cmlidXRlc1BLAQIUAxQAAAAIAAAAIVzsJOOkBgIAADgEAAALAAAAAAAAAAAAAACAAX8AAABleHBvcnQu\
        ZGF0YVBLAQIUAxQAAAAIAAAAIVy72V95DAAAAAoAAAAUAAAAAAAAAAAAAACAAa4CAABmaWxlcy9hYmNfX19ub3RlLnR4dFBL\
        BQYAAAAAAwADALoAAADsAgAAAAA=
        """
}

/// What a descriptor has.
enum DescriptorContentsReader {
    static func bytes(of descriptor: Int32, atMost limit: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: min(limit, 1 << 16))
        let count = read(descriptor, &buffer, buffer.count)
        return Array(buffer.prefix(max(0, count)))
    }
}
