// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CryptoExtras
import Diary
import Foundation
import Logging
import Testing

@Suite struct DiaryTests {
    @Test func pagesComeBack() throws {
        let cipher = try #require(Cipher(password: "s3cret", salt: Data("salt".utf8)))
        let sealed = try #require(cipher.seal("Dear diary"))
        #expect(cipher.open(sealed) == "Dear diary")
        #expect(sealed.range(of: Data("diary".utf8)) == nil)
        #expect(Data("abc".utf8).sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func entriesAreKept() {
        let journal = Journal()
        DispatchQueue.concurrentPerform(iterations: 100) { journal.add("\($0)") }
        #expect(Set(journal.all) == Set((0..<100).map(String.init)))
        logOpening(of: "mine")
    }

    /// CryptoExtras finds CommonCrypto here, and derives keys by it.
    @Test func packagesThatAskForTheModulesWork() throws {
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: Data("password".utf8),
            salt: Data("salt".utf8),
            using: .insecureSHA1,
            outputByteCount: 20,
            unsafeUncheckedRounds: 2
        )
        let bytes = key.withUnsafeBytes { Array($0) }
        #expect(bytes.prefix(4) == [0xea, 0x6c, 0x01, 0x4d])
        #expect(try Options.parse(["--count", "3"]).count == 3)
        #expect(Logging.Logger(label: "own").logLevel == .info)
    }
}

private struct Options: ParsableArguments {
    @Option var count: Int
}
