// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainControl

/// Files of passwords of other programs: the first byte chooses the format, and a file of it whose edits are tried.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let formats = ImportFormat.allCases
    let format = Int(start[0]) < formats.count ? formats[Int(start[0])] : nil
    check(SecretBytes(input), format)
    check(SecretBytes(edited(samples[Int(start[0]) % samples.count], input)), nil)
    let bytes = SecretBytes(input)
    var file = ImportedPasswords()
    PassStore.add(bytes, "web/ada", to: &file)
    precondition(!file.items.isEmpty, "an entry of pass has a password")
    let limit = 1 << 16
    let plain = bytes.withUnsafeBytes { try? Inflate.bytes(of: $0, atMost: limit) }
    precondition(plain?.count ?? 0 <= limit, "nothing is longer than the limit")
    let text = String(decoding: bytes.unprotectedCopy, as: UTF8.self)
    if let table = try? CSVTable(text) {
        let again = try? CSVTable(CSVTable.text([table.header] + table.rows.map(\.fields)))
        precondition(again?.rows.map(\.fields) == table.rows.map(\.fields), "a table is read as it was written")
    }
    return 0
}

private func check(_ bytes: SecretBytes, _ format: ImportFormat?) {
    guard let (recognized, file) = try? ImportFormat.read(bytes, as: format) else { return }
    precondition(format == nil || format == recognized, "a file has the format that is asked for")
    for item in file.items { precondition(!item.place.isEmpty, "a password has a place") }
}

/// A file of each kind of structure.
private let samples: [[UInt8]] =
    [
        #"{"format":"swift-keychain passwords","version":1,"items":[{"class":"internet","password":"x","created":"2026","#
            + #""attributes":{"srvr":"a.example","acct":"ada","port":443,"sync":true,"gena":{"base64":"AA=="},"cdat":{"date":1},"#
            + #""accc":{"accessible":"ak","flags":1}},"secretService":{"contentType":"t","attributes":[["a","b"]]}}]}"#,
        #"{"encrypted":false,"items":[{"type":1,"name":"a","notes":"n","fields":[{"name":"p","value":"1","type":1}],"login":"#
            + #"{"uris":[{"uri":"https://a.example"}],"username":"ada","password":"x","totp":"y"}},{"type":2,"notes":"z"}]}"#,
        "<?xml version=\"1.0\"?><KeePassFile><Meta><RecycleBinUUID>b</RecycleBinUUID></Meta><Root><Group><UUID>b</UUID><Entry>"
            + "<Times><Expires>True</Expires></Times><String><Key>Title</Key><Value ProtectInMemory=\"True\">&lt;&#10;</Value>"
            + "</String><History><Entry/></History></Entry></Group></Root></KeePassFile>",
        "class,service,account,password,label,comment,description,protocol,port,path,securityDomain,authenticationType,"
            + "accessGroup,accessible,synchronizable\r\ngeneric,\"s\",a,\"p\"\"\",,,,,,,,,,ak,yes\r\n",
        "name,url,username,password,note\na,https://u@a.example:1/x?y,ada,\"x\ny\",n\n",
        "machine a.example login ada password \"x\\\" y\" account z\nmacdef m\nls\n\ndefault login b password c\n",
        "export A=\"b\\n\" # c\nD='e'\nF=keychain://g/h?otp\n",
    ].map { Array($0.utf8) } + [archive]

/// An archive of 1Password whose files are not compressed: the end, the directory, and the two files.
private let archive: [UInt8] = {
    let files = [
        ("export.attributes", #"{"version":3}"#),
        (
            "export.data",
            #"{"accounts":[{"vaults":[{"items":[{"categoryUuid":"001","overview":{"title":"a","urls":[{"url":"https://a"}]},"#
                + #""details":{"loginFields":[{"designation":"password","value":"x"}],"sections":[{"fields":[{"title":"t","#
                + #""value":{"totp":"y"}},{"id":"e","value":{"email":{"email_address":"z"}}}]}]}}]}]}]}"#
        ),
    ]
    var (body, directory): ([UInt8], [UInt8]) = ([], [])
    func numbers(_ fields: [(Int, Int)]) -> [UInt8] {
        fields.flatMap { number, size in (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    }
    for (name, text) in files {
        let bytes = Array(text.utf8)
        let code = Int(CRC32.code(of: bytes))
        let common = [(20, 2), (0, 2), (0, 2), (0, 4), (code, 4), (bytes.count, 4), (bytes.count, 4)]
        let offset = body.count
        body += numbers([(0x0403_4B50, 4)] + common + [(name.utf8.count, 2), (0, 2)]) + Array(name.utf8) + bytes
        directory += numbers([(0x0201_4B50, 4), (20, 2)] + common + [(name.utf8.count, 2), (0, 2), (0, 4), (0, 2)])
        directory += numbers([(0, 4), (offset, 4)]) + Array(name.utf8)
    }
    let end = [(0x0605_4B50, 4), (0, 4), (2, 2), (2, 2), (directory.count, 4), (body.count, 4), (0, 2)]
    return body + directory + numbers(end)
}()
