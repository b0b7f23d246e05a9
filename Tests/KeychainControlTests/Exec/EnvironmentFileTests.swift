// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainControl

/// Files of variables.
struct EnvironmentFileTests {
    private static func parse(_ text: String) throws -> [String] {
        try EnvironmentFile.parse(SecretBytes(Array(text.utf8)), name: ".env").map { "\($0.name)=\($0.value)" }
    }

    @Test(
        "names and values",
        arguments: [
            ("A=b", ["A=b"]), ("A=b\nC=d\n", ["A=b", "C=d"]), ("A=b\r\nC=d\r\n", ["A=b", "C=d"]), ("A=", ["A="]),
            ("  A = b c  \n", ["A=b c"]), ("export A=b", ["A=b"]), ("# A=b\n\n   \nC=d", ["C=d"]),
            ("A=b # c", ["A=b"]), ("A=b#c", ["A=b#c"]), ("A='b # c' # d", ["A=b # c"]), ("A='b\\n'", ["A=b\\n"]),
            (#"A="b\n\"c\"\\ \$D""#, ["A=b\n\"c\"\\ $D"]), ("A=\"b\nc\"\nD=e", ["A=b\nc", "D=e"]), ("A=$B", ["A=$B"]),
            ("A=x=y", ["A=x=y"]), ("_a1=b", ["_a1=b"]), ("A=keychain://s/a?label", ["A=keychain://s/a?label"]),
            ("A=ü", ["A=ü"]), ("A=1\nA=2", ["A=1", "A=2"]), ("", []), ("A=''", ["A="]), ("A=b'c", ["A=b'c"]),
            ("A=#b", ["A=#b"]), ("A= #b", ["A="]), ("export\tA=b", ["A=b"]), ("export  A =b", ["A=b"]),
            ("exportA=b", ["exportA=b"]), ("\u{FEFF}A=b", ["A=b"]), ("export=b", ["export=b"]),
        ]
    )
    func valid(_ text: String, _ variables: [String]) throws { #expect(try Self.parse(text) == variables) }

    @Test(
        "a mistake names its line, and no value",
        arguments: [
            ("hunter2", 1), ("A=b\nhunter2\n", 2), ("1A=hunter2", 1), ("A-B=hunter2", 1), ("=hunter2", 1),
            ("A='hunter2", 1), ("A=\"b\nc\"\n\nB=\"hunter2", 4), ("A='b' hunter2", 1),
            ("export FOO BAR=hunter2", 1), ("export hunter2", 1), ("A=b\n\u{FEFF}B=hunter2", 2),
            ("A\u{301}=hunter2", 1),
        ]
    )
    func invalid(_ text: String, _ line: Int) {
        #expect { try Self.parse(text) } throws: { error in
            "\(error)".contains(".env, line \(line):") && !"\(error)".contains("hunter2")
        }
    }

    @Test("bytes that are not UTF-8 are refused")
    func bytes() {
        #expect(throws: Refusal.self) { try EnvironmentFile.parse(SecretBytes([0x41, 0x3D, 0xFF]), name: ".env") }
    }
}
