// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// What callers of `security` on macOS run, byte for byte, by the shell with `security` first in `PATH`.
@Suite(.timeLimit(.minutes(10)))
struct RecipeTests {
    private let user: ToolUser

    init() throws { user = try ToolUser() }

    /// Runs a script of the shell in the user's current folder.
    private func run(_ script: String, _ variables: [String: String] = [:]) throws -> (status: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        let tools = URL(fileURLWithPath: try ToolProcess.path()).deletingLastPathComponent().path
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = URL(fileURLWithPath: user.current.path)
        process.environment = user.environment.merging(variables) { $1 }
            .merging(["PATH": "\(tools):/usr/bin:/bin"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // A daemon that a command starts closes what it inherits.
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    /// The PKCS #12 file of the rows of transcripts; its password is `p12pw`.
    private func writeIdentity(_ name: String) throws {
        let cases = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Cases/specification.jsonl")
        let row = try #require(try Transcript.load(cases).first { $0.id == "cert-import-p12" })
        let data = try #require(row.files?["id.p12"].flatMap { Data(base64Encoded: $0.base64) })
        try data.write(to: URL(fileURLWithPath: user.current.path(of: name)))
    }

    @Test("GitHub's instructions for signing on a runner")
    func gitHubActions() throws {
        try writeIdentity("build_certificate.p12")
        let base64 = try Data(contentsOf: URL(fileURLWithPath: user.current.path(of: "build_certificate.p12")))
        let script = """
            set -e
            CERTIFICATE_PATH=$RUNNER_TEMP/build_certificate.p12
            KEYCHAIN_PATH=$RUNNER_TEMP/app-signing.keychain-db
            echo -n "$BUILD_CERTIFICATE_BASE64" | base64 --decode -o $CERTIFICATE_PATH 2>/dev/null ||
                printf %s "$BUILD_CERTIFICATE_BASE64" | base64 -d > $CERTIFICATE_PATH
            security create-keychain -p "$KEYCHAIN_PASSWORD" $KEYCHAIN_PATH
            security set-keychain-settings -lut 21600 $KEYCHAIN_PATH
            security unlock-keychain -p "$KEYCHAIN_PASSWORD" $KEYCHAIN_PATH
            security import $CERTIFICATE_PATH -P "$P12_PASSWORD" -A -t cert -f pkcs12 -k $KEYCHAIN_PATH
            security set-key-partition-list -S apple-tool:,apple: -k "$KEYCHAIN_PASSWORD" $KEYCHAIN_PATH > /dev/null
            security list-keychain -d user -s $KEYCHAIN_PATH
            security find-identity -p codesigning
            security show-keychain-info $KEYCHAIN_PATH
            security delete-keychain $RUNNER_TEMP/app-signing.keychain-db
            security list-keychains -d user
            """
        let result = try run(
            script,
            [
                "RUNNER_TEMP": user.temporary.path, "BUILD_CERTIFICATE_BASE64": base64.base64EncodedString(),
                "P12_PASSWORD": "p12pw", "KEYCHAIN_PASSWORD": "a b'c",
            ]
        )
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("1 identity imported.\n"), "\(result.output)")
        #expect(
            result.output.contains("  1) 0A095A45E4B3CC1548DB39685CF04478E851B0AC \"Keychain CLI Test Signing\""),
            "\(result.output)"
        )
        #expect(result.output.hasSuffix("app-signing.keychain-db\" lock-on-sleep timeout=21600s\n"), "\(result.output)")
    }

    @Test("the action import-codesign-certs, which restores the list by login.keychain")
    func importCodesignCerts() throws {
        try writeIdentity("certificate.p12")
        let script = """
            set -e
            security add-generic-password -s mine -a me -w keepme
            security create-keychain -p "$PW" signing_temp.keychain
            security set-keychain-settings -lut 21600 signing_temp.keychain
            security unlock-keychain -p "$PW" signing_temp.keychain
            security import certificate.p12 -k signing_temp.keychain -f pkcs12 -A -T /usr/bin/codesign \
            -T /usr/bin/security -P p12pw
            security set-key-partition-list -S apple-tool:,apple: -k "$PW" signing_temp.keychain > /dev/null
            security list-keychains -d user -s signing_temp.keychain login.keychain
            security find-identity -p codesigning | grep -c '"Keychain CLI Test Signing"'
            security find-generic-password -s mine -w
            security delete-keychain signing_temp.keychain
            security list-keychains -d user
            security find-generic-password -s mine -w
            security add-generic-password -s more -a me -w kept
            security find-generic-password -s more -w login.keychain
            """
        let result = try run(script, ["PW": "a b'c"])
        #expect(result.status == 0, "\(result.output)")
        let expected = "1 identity imported.\n1\nkeepme\n    \"\(user.keychainName)\"\nkeepme\nkept\n"
        #expect(result.output == expected)
    }

    @Test("fastlane's setup_ci and match")
    func fastlane() throws {
        try writeIdentity("match.p12")
        let script = """
            set -e
            security add-generic-password -s mine -a me -w keepme
            security -h | grep -q set-key-partition-list
            security create-keychain -p '' fastlane_tmp_keychain
            test -f "$HOME/Library/Keychains/fastlane_tmp_keychain-db"
            security default-keychain -s fastlane_tmp_keychain
            security unlock-keychain -p '' fastlane_tmp_keychain
            security set-keychain-settings -t 3600 -u fastlane_tmp_keychain
            keychains=$(security list-keychains -d user | xargs)
            security list-keychains -s $keychains fastlane_tmp_keychain
            security import match.p12 -k "$HOME/Library/Keychains/fastlane_tmp_keychain-db" -P p12pw \
            -T /usr/bin/codesign -T /usr/bin/security -T /usr/bin/productbuild
            security set-key-partition-list -S apple-tool:,apple:,codesign: -l 'Imported Private Key' \
            -k '' "$HOME/Library/Keychains/fastlane_tmp_keychain-db" 1> /dev/null ||
            security set-key-partition-list -S apple-tool:,apple:,codesign: -s \
            -k '' "$HOME/Library/Keychains/fastlane_tmp_keychain-db" 1> /dev/null
            security find-certificate -c 'Keychain CLI Test Signing' fastlane_tmp_keychain | grep -q attributes:
            security find-identity -v -p codesigning fastlane_tmp_keychain | grep -q '0 valid identities found'
            security find-generic-password -s mine -w
            security delete-keychain fastlane_tmp_keychain
            security find-generic-password -s mine -w
            security default-keychain -s login.keychain
            security add-generic-password -s more -a me -w kept
            """
        let result = try run(script)
        #expect(result.status == 0, "\(result.output)")
    }

    @Test("go-keyring writes by standard input, reads by find-generic-password -wa, and deletes in a loop")
    func goKeyring() throws {
        let script = """
            set -e
            printf '%s\\n' "add-generic-password -U -s 'my service' -a alice -w go-keyring-base64:c2VjcmV0" | security -i
            printf '%s\\n' "add-generic-password -U -s 'my service' -a bob -w 'it'\\\\''s'" | security -i || true
            test "$(security find-generic-password -s 'my service' -wa alice 2>&1)" = go-keyring-base64:c2VjcmV0
            path=$(security default-keychain | tr -d ' "')
            security dump-keychain "$path" | grep -c '"svce"<blob>="my service"'
            while security delete-generic-password -s 'my service' > /dev/null 2>&1; do :; done
            security find-generic-password -s 'my service' -wa alice 2>&1 | grep -q 'could not be found'
            """
        let result = try run(script)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.split(separator: "\n").last == "1", "\(result.output)")
    }

    @Test("shell profiles and agents read a value, or nothing")
    func readers() throws {
        let script = """
            security add-generic-password -U -a "$USER" -s 'Example CLI-credentials' -w '{"token":"t"}'
            TOKEN=$(security find-generic-password -s 'Example CLI-credentials' -w)
            echo "$TOKEN"
            if ! security find-generic-password -s nothing > /dev/null 2>&1; then echo none; fi
            security find-generic-password -ga "$USER" 2>&1 > /dev/null | sed -n 's/^password: "\\(.*\\)"$/\\1/p'
            export KEY=$(security find-generic-password -a "$USER" -s nothing -w 2> /dev/null); echo "[$KEY]"
            """
        let result = try run(script, ["USER": "alice"])
        #expect(result.output == "{\"token\":\"t\"}\nnone\n{\"token\":\"t\"}\n[]\n")
    }
}
