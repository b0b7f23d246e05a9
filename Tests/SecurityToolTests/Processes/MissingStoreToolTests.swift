// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// Commands that only look for something, for a user who has stored nothing.
struct MissingStoreToolTests {
    @Test(
        "a search finds nothing, a dump shows nothing, and neither folder nor file is made",
        arguments: [
            ("find-generic-password -s svc -w", 44), ("find-internet-password -s svc", 44),
            ("find-certificate -c x", 44),
            ("find-key -l x", 1), ("delete-generic-password -s svc", 44), ("dump-keychain", 0),
            ("dump-keychain -d", 0),
            ("find-identity", 0), ("list-keychains", 0),
        ]
    )
    func nothingIsMade(_ words: String, _ status: Int32) throws {
        let user = try ToolUser()
        let result = try user.run(words.split(separator: " ").map(String.init))
        #expect(result.status == status, "\(result.errorText)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: user.home.path).isEmpty)
    }
}
