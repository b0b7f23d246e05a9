// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices
import Security
import SecurityTranscripts
import Synchronization
import Testing

/// The command and the item functions on one keychain.
@Suite(.timeLimit(.minutes(30)))
struct RoundTripTests {
    private let user: ToolUser

    init() throws { user = try ToolUser() }

    @Test("a program reads what the command stored, generic")
    func genericFromCommand() throws {
        let words = "add-generic-password -a alice -s svc -w secret -c crea -C type -D kind -G gen -j note -l Label"
        #expect(try run(words).status == 0)
        let item = try found([kSecClass: kSecClassGenericPassword, kSecAttrService: "svc", kSecAttrAccount: "alice"])
        #expect(item[kSecValueData] as? Data == Data("secret".utf8))
        #expect(item[kSecAttrAccessGroup] as? String == Client.commonGroup)
        #expect(item[kSecAttrLabel] as? String == "Label")
        #expect(item[kSecAttrDescription] as? String == "kind")
        #expect(item[kSecAttrComment] as? String == "note")
        #expect(item[kSecAttrGeneric] as? Data == Data("gen".utf8))
        #expect(item[kSecAttrCreator] as? UInt32 == 0x6372_6561)
        #expect(item[kSecAttrType] as? UInt32 == 0x7479_7065)
        #expect(item[kSecAttrSynchronizable] as? Bool == false)
    }

    @Test("a program reads what the command stored, internet")
    func internetFromCommand() throws {
        let words = "add-internet-password -a alice -s h.example -w secret -r htps -P 443 -p /x -d realm -t http"
        #expect(try run(words).status == 0)
        let item = try found([
            kSecClass: kSecClassInternetPassword, kSecAttrServer: "h.example", kSecAttrProtocol: kSecAttrProtocolHTTPS,
            kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTTPBasic, kSecAttrPort: 443, kSecAttrPath: "/x",
            kSecAttrSecurityDomain: "realm", kSecAttrAccount: "alice",
        ])
        #expect(item[kSecValueData] as? Data == Data("secret".utf8))
        #expect(item[kSecAttrLabel] as? String == "h.example")
        #expect(try run("add-internet-password -a bob -s h.example -w secret").status == 0)
        let plain = try found([kSecClass: kSecClassInternetPassword, kSecAttrAccount: "bob"])
        #expect(plain[kSecAttrAuthenticationType] as? String == kSecAttrAuthenticationTypeDefault as String)
    }

    @Test("the command reads what a program stored, generic")
    func genericFromProgram() throws {
        let attributes: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "svc", kSecAttrAccount: "alice",
            kSecAttrLabel: "Label", kSecAttrGeneric: Data([1, 2]), kSecAttrCreator: 0x6372_6561,
            kSecAttrIsInvisible: true, kSecValueData: Data("secret".utf8),
        ]
        #expect(user.asPerson { Items.add(attributes) } == errSecSuccess)
        #expect(try run("find-generic-password -s svc -w").outputText == "secret\n")
        let block = try run("find-generic-password -a alice -g")
        #expect(block.errorText == "password: \"secret\"\n")
        for line in [
            "0x00000007 <blob>=\"Label\"", "\"gena\"<blob>=0x0102 ", "\"crtr\"<uint32>=\"crea\"",
            "\"invi\"<sint32>=0x00000001 ",
        ] {
            #expect(block.outputText.contains("    \(line)\n"), "\(line)")
        }
        #expect(try run("find-generic-password -c crea -l Label -w").outputText == "secret\n")
    }

    @Test("the command reads what a program stored, internet")
    func internetFromProgram() throws {
        let attributes: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword, kSecAttrServer: "h.example", kSecAttrAccount: "alice",
            kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrPort: 8443, kSecAttrPath: "/x",
            kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTMLForm, kSecValueData: Data([0xFF]),
        ]
        #expect(user.asPerson { Items.add(attributes) } == errSecSuccess)
        #expect(try run("find-internet-password -s h.example -r htps -P 8443 -t form -w").outputText == "ff\n")
        #expect(try run("find-internet-password -r http -w").status == 44)
        let block = try run("find-internet-password").outputText
        for line in [
            "\"ptcl\"<uint32>=\"htps\"", "\"port\"<uint32>=0x000020FB  \"\\000\\000 \\373\"", "\"atyp\"<blob>=\"form\"",
        ] {
            #expect(block.contains("    \(line)\n"), "\(line)")
        }
        #expect(
            try run("add-internet-password -U -a alice -s h.example -r htps -P 8443 -p /x -t form -w new").status == 0
        )
        let item = try found([kSecClass: kSecClassInternetPassword])
        #expect(item[kSecValueData] as? Data == Data("new".utf8))
    }

    @Test("items of every program are found, and synchronizable ones too")
    func otherGroups() throws {
        for (service, synchronizable) in [("private", false), ("synchronized", true)] {
            let status = user.asProgram {
                Items.add(generic(service, "alice", secret: "of a program", synchronizable: synchronizable))
            }
            #expect(status == errSecSuccess)
        }
        #expect(try run("find-generic-password -s private -w").outputText == "of a program\n")
        #expect(try run("find-generic-password -s synchronized -w").outputText == "of a program\n")
        #expect(try run("dump-keychain").outputText.components(separatedBy: "keychain: ").count == 3)
    }

    @Test("an internet item that a program stored without an authentication type is the one that -U changes")
    func internetUpdate() throws {
        let key: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword, kSecAttrServer: "h.example", kSecAttrAccount: Data("alice".utf8),
            kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrPort: 443,
        ]
        let item = key.merging([kSecValueData: Data("old".utf8)]) { $1 }
        #expect(user.asProgram { Items.add(item) } == errSecSuccess)
        #expect(try run("add-internet-password -a alice -s h.example -r htps -P 443 -w new").status == 45)
        #expect(try run("add-internet-password -a alice -s h.example -r htps -P 443 -U -w new").status == 0)
        let changed = try found(key)
        #expect(changed[kSecValueData] as? Data == Data("new".utf8))
        #expect(changed[kSecAttrAccount] is Data, "what did not change is not written again")
        #expect(try run("dump-keychain").outputText.components(separatedBy: "keychain: ").count == 2)
    }

    @Test("of copies in several groups the one that was changed last is found and changed")
    func copies() throws {
        #expect(try run("add-generic-password -a alice -s svc -w common").status == 0)
        #expect(user.asProgram { Items.add(generic("svc", "alice", secret: "of a program")) } == errSecSuccess)
        #expect(try run("find-generic-password -s svc -w").outputText == "of a program\n")
        #expect(try run("add-generic-password -a alice -s svc -U -w changed").status == 0)
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "svc", kSecAttrAccount: "alice", kSecReturnData: true,
        ]
        #expect(user.asProgram { Items.copy(query).result as? Data } == Data("changed".utf8))
    }

    @Test("updates at once of an item that is not there yet all succeed")
    func updatesAtOnce() throws {
        for round in 0..<4 {
            let statuses = Mutex<[Int32]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                let result = try? run("add-generic-password -U -a alice -s svc\(round) -w \(index)")
                statuses.withLock { $0.append(result?.status ?? -1) }
            }
            #expect(statuses.withLock { $0 } == [0, 0, 0, 0])
        }
    }

    @Test("an item of the common group is the first match")
    func commonGroupFirst() throws {
        #expect(user.asProgram { Items.add(generic("svc", "older", secret: "of a program")) } == errSecSuccess)
        #expect(try run("add-generic-password -a newer -s svc -w common").status == 0)
        #expect(try run("find-generic-password -s svc -w").outputText == "common\n")
        #expect(try run("delete-generic-password -s svc").status == 0)
        #expect(try run("find-generic-password -s svc -w").outputText == "of a program\n")
    }

    @Test("an item of another group is a duplicate, and is updated in place", arguments: [false, true])
    func duplicateInOtherGroup(_ synchronizable: Bool) throws {
        let added = user.asProgram { Items.add(generic("svc", "alice", secret: "old", synchronizable: synchronizable)) }
        #expect(added == errSecSuccess)
        #expect(try run("add-generic-password -a alice -s svc -w new").status == 45)
        #expect(try run("add-generic-password -U -a alice -s svc -w new -j note").status == 0)
        let item = try found([kSecClass: kSecClassGenericPassword])
        #expect(item[kSecAttrAccessGroup] as? String == "swift-keychain.program.example")
        #expect(item[kSecValueData] as? Data == Data("new".utf8))
        #expect(item[kSecAttrComment] as? String == "note")
        #expect(try run("delete-generic-password -a alice").status == 0)
        #expect(try run("find-generic-password").status == 44)
    }

    @Test("an update keeps the date of creation and moves that of change")
    func updateKeepsCreationDate() throws {
        #expect(try run("add-generic-password -a alice -s svc -w one").status == 0)
        let before = try found([kSecClass: kSecClassGenericPassword])
        #expect(try run("add-generic-password -U -a alice -s svc -w two").status == 0)
        let after = try found([kSecClass: kSecClassGenericPassword])
        #expect(before[kSecAttrCreationDate] as? Date == after[kSecAttrCreationDate] as? Date)
        let dates = [before, after].compactMap { $0[kSecAttrModificationDate] as? Date }
        #expect(dates.count == 2 && dates[0] < dates[1])
    }

    @Test("certificates and keys are dumped, with the numbers and names of file keychains")
    func otherClassesAreDumped() throws {
        let certificate: [CFString: Any] = [
            kSecClass: kSecClassCertificate, kSecAttrCertificateType: 1, kSecAttrCertificateEncoding: 3,
            kSecAttrLabel: "Root", kSecAttrSerialNumber: Data([7]), kSecAttrIssuer: Data([0x30, 0]),
            kSecAttrPublicKeyHash: Data([9, 9]), kSecValueData: Data([0x30, 0x80]),
        ]
        let key: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrKeyType: kSecAttrKeyTypeRSA,
            kSecAttrLabel: "Private", kSecAttrKeySizeInBits: 2048, kSecAttrApplicationLabel: Data([5]),
            kSecAttrCanSign: true, kSecValueData: Data([0x30, 0x81]),
        ]
        #expect(user.asPerson { Items.add(certificate) } == errSecSuccess)
        #expect(user.asPerson { Items.add(key) } == errSecSuccess)
        let lines = try run("dump-keychain -d").outputText.components(separatedBy: "\n")
        let expected = [
            "class: 0x80001000 ", "    \"cenc\"<uint32>=0x00000003 ", "    \"ctyp\"<uint32>=0x00000001 ",
            "    \"hpky\"<blob>=0x0909 ", "    \"labl\"<blob>=\"Root\"", "    \"snbr\"<blob>=0x07 ", "data:",
            "0x3080  \"0\\200\"", "class: 0x00000010 ", "    0x00000000 <uint32>=0x00000010 ",
            "    0x00000001 <blob>=\"Private\"", "    0x00000006 <blob>=0x05 ",
            "    0x00000009 <uint32>=0x0000002A  \"\\000\\000\\000*\"", "    0x0000000A <uint32>=0x00000800 ",
            "    0x0000000C <blob>=<NULL>", "    0x00000015 <uint32>=0x00000001 ", "    0x0000001A <uint32>=<NULL>",
            "data:", "0x3081  \"0\\201\"",
        ]
        var rest = lines[...]
        for line in expected {
            let index = try #require(rest.firstIndex(of: line), "\(line)")
            rest = rest[(index + 1)...]
        }
        #expect(lines.count { $0.hasPrefix("    0x000000") } == 27)
    }

    private func run(_ line: String) throws -> ToolProcess.Result {
        try user.run(line.split(separator: " ").map(String.init))
    }

    private func generic(
        _ service: String,
        _ account: String,
        secret: String,
        synchronizable: Bool = false
    ) -> [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
            kSecAttrSynchronizable: synchronizable, kSecValueData: Data(secret.utf8),
        ]
    }

    /// The one item that matches, with its secret.
    private func found(_ query: [CFString: Any]) throws -> [CFString: Any] {
        let query = query.merging([
            kSecReturnAttributes: true, kSecReturnData: true, kSecAttrSynchronizable: kSecAttrSynchronizableAny,
        ]) { $1 }
        let answer = user.asPerson { Items.copy(query) }
        try #require(answer.status == errSecSuccess)
        let item = try #require(answer.result as? [String: Any])
        return Dictionary(uniqueKeysWithValues: item.map { (NSString(string: $0.key), $0.value) })
    }
}
