// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

@testable import KeychainProtection

/// The file of settings of a root key, read strictly.
struct RootKeySettingsFormatTests {
    @Test("the document of the format has the number of each kind of root key, and the name of each that has settings")
    func documented() throws {
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        let page = try String(contentsOfFile: "\(root)/Documentation/Format.md", encoding: .utf8)
        let lines = page.components(separatedBy: "\n")
        let numbers = try #require(lines.first { $0.contains("| kind of the root key: ") })
        let names = try #require(lines.first { $0.hasPrefix("(`tpm`, ") })
        for name in RootKeyKind.allNames {
            let kind = try #require(RootKeyKind(name: name))
            #expect(numbers.contains(" \(kind.rawValue) "), "\(name)")
            if kind.hasSettings { #expect(names.contains("`\(name)`"), "\(name)") }
        }
    }

    @Test("settings are written as they are read")
    func roundTrip() throws {
        let parameters = [
            RootKeySettings.Parameter("handle", "0x81000001"), RootKeySettings.Parameter("pcr-7", "a b = c ~!"),
        ]
        let settings = try RootKeySettings(.tpm, parameters)
        let text = "version = 1\nkind = tpm\nhandle = 0x81000001\npcr-7 = a b = c ~!\n"
        #expect(settings.bytes == Array(text.utf8))
        #expect(settings.kind == .tpm && settings.parameters == parameters)
        #expect(settings["pcr-7"] == "a b = c ~!" && settings["pcr"] == nil && settings["kind"] == nil)
        #expect(try RootKeySettings(Array(text.utf8)) == settings)
        #expect(try RootKeySettings(Array("version = 1\nkind = systemd-credential\n".utf8)).parameters.isEmpty)
    }

    @Test(
        "a file that is not of the form of settings is refused",
        arguments: [
            "", "\n", "version = 1\n", "version = 1\nkind = tpm", "version = 1\n\nkind = tpm\n",
            "version = 1\nkind = tpm\n\n", "kind = tpm\nversion = 1\n", "version = 1\na = b\nkind = tpm\n",
            "version = 1\nkind = tpm\nkind = tpm\n", "version = 1\nkind = tpm\na = 1\na = 1\n",
            "version = 1\nkind = tpm\na=1\n", "version = 1\nkind = tpm\na =1\n",
            "version = 1\nkind = tpm\na  = 1\n", "version = 1\nkind = tpm\na =  1\n",
            "version = 1\nkind = tpm\na = 1 \n", "version = 1\nkind = tpm\na = \n",
            "version = 1\nkind = tpm\n = 1\n", "version = 1\nkind = tpm\nA = 1\n",
            "version = 1\nkind = tpm\n1a = 1\n", "version = 1\nkind = tpm\n-a = 1\n",
            "version = 1\nkind = tpm\na_b = 1\n",
            "version = 1\nkind = tpm\na = \u{e9}\n", "version = 1\nkind = tpm\na = 1\t2\n",
            "version = 1\nkind = tpm\r\n", "version = 1\nkind = tpm\na = 1\0\n",
            "# a comment\nversion = 1\nkind = tpm\n",
            "\u{feff}version = 1\nkind = tpm\n",
            "version = 1\nkind = tpm\n\(String(repeating: "a", count: 65)) = 1\n",
            "version = 1\nkind = tpm\n" + (0...64).map { "a\($0) = 1\n" }.joined(),
            "version = 1\nkind = tpm\na = \(String(repeating: "a", count: RootKeySettings.byteLimit))\n",
        ]
    )
    func malformed(_ text: String) {
        let fault = #expect(throws: RootKeySettingsFault.self) { try RootKeySettings(Array(text.utf8)) }
        guard case .damaged = fault else {
            Issue.record("\(String(describing: fault)) for \(text)")
            return
        }
    }

    @Test("limits are what a file may have at most")
    func limits() throws {
        let name = String(repeating: "a", count: 64)
        #expect(try RootKeySettings(.tpm, [RootKeySettings.Parameter(name, "1")])[name] == "1")
        let most = (0..<64).map { RootKeySettings.Parameter("a\($0)", "1") }
        #expect(try RootKeySettings(.tpm, most).parameters.count == 64)
        let empty = try RootKeySettings(.tpm, [RootKeySettings.Parameter("a", "1")]).bytes.count
        let longest = String(repeating: "1", count: RootKeySettings.byteLimit - empty + 1)
        #expect(try RootKeySettings(.tpm, [RootKeySettings.Parameter("a", longest)]).bytes.count == 8192)
        #expect(throws: RootKeySettingsFault.self) {
            try RootKeySettings(.tpm, [RootKeySettings.Parameter("a", longest + "1")])
        }
    }

    @Test("another version is told from damage whatever follows it, and a kind without settings is refused")
    func otherVersions() {
        let faults: [(String, RootKeySettingsFault)] = [
            ("version = 2\nkind = tpm\n", .unknownVersion), ("version = 01\n", .unknownVersion),
            ("version = 2\n[whatever]\n", .unknownVersion), ("version = 1\nkind = file\n", .unknownKind),
            ("version = 1\nkind = published\n", .unknownKind), ("version = 1\nkind = 2\n", .unknownKind),
            ("version = 1\nkind = TPM\n", .unknownKind),
        ]
        for (text, fault) in faults {
            #expect(throws: fault) { try RootKeySettings(Array(text.utf8)) }
        }
        #expect(throws: RootKeySettingsFault.unknownKind) { try RootKeySettings(.software, []) }
        #expect(throws: RootKeySettingsFault.self) { try RootKeySettings(RootKeyKind(rawValue: 99), []) }
    }
}
