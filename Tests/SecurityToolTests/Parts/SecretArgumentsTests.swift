// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SecurityTool

/// Which arguments are overwritten at the start, and never repeated.
struct SecretArgumentsTests {
    /// Arguments, and the parts that are secrets.
    static let cases: [(String, [String])] = [
        ("add-generic-password -a alice -s svc -w PW", ["PW"]),
        ("-q -v add-g -w PW -wPW2 -UX6869 -p PW3", ["PW", "PW2", "6869", "PW3"]),
        ("-p prompt add-g -w PW", ["PW"]),
        ("add-internet-password -p /path -w PW -X 00", ["PW", "00"]),
        ("add-generic-password login.keychain -w PW", ["PW"]),
        ("add-generic-password -z -w PW", ["PW"]),
        ("add-generic-password -- -w PW", ["PW"]),
        ("add-generic-password -a x -w", []),
        ("find-generic-password -w svc", []),
        ("unlock-keychain -p PW", ["PW"]),
        ("create-keychain -p PW build.keychain", ["PW"]),
        ("set-keychain-password -o PW -p PW2", ["PW", "PW2"]),
        ("import file -k kc -P PW", ["PW"]),
        ("import file -a name value -P PW", ["PW"]),
        ("export -k kc -P PW -o file", ["PW"]),
        ("export -P PW", ["PW"]),
        ("set-key-partition-list -S apple: -k PW -s kc", ["PW"]),
        ("nosuch -w PW", []),
        ("", []),
        ("-z", []),
    ]

    @Test("secrets are found", arguments: cases)
    func secretsAreFound(_ line: String, _ secrets: [String]) {
        let words = (["security"] + line.split(separator: " ").map(String.init)).map { Word($0) }
        let found = Tool.secretPlaces(in: words).map { words[$0.word].dropFirst($0.offset).text }
        #expect(found == secrets)
    }
}
