// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainMessages
import KeychainTestSupport
import Security
import Testing

@testable import KeychainServices

/// Messages of more signers than anybody needs: what they have in common costs the same as for one.
struct ManySignersTests {
    private static func decoder(_ change: (inout MessageMaker) -> Void) throws -> CMSDecoder {
        var maker = try MessageMaker()
        maker.signerCount = 5
        change(&maker)
        return try MessageCalls.decoder(maker.message(MessageFiles.shared.get()))
    }

    private static func readings(_ decoder: CMSDecoder, _ expected: CMSSignerStatus) throws -> Int {
        for index in 0..<5 {
            #expect(MessageCalls.standing(in: decoder, at: index, evaluates: false) == expected, "signer \(index)")
        }
        return decoder.checker(try #require(decoder.opened().signedData)).readings
    }

    @Test("the contents are digested once for all signers with attributes")
    func digests() throws {
        #expect(try Self.readings(Self.decoder { _ in }, .valid) == 1)
    }

    @Test("whether the contents are attributes is looked at once for all signers without attributes")
    func bare() throws {
        #expect(try Self.readings(Self.decoder { $0.attributes = nil }, .valid) == 2)
        let attributes = try Self.decoder {
            $0.contents = Data(MessageMaker.signedSet($0.attributes ?? []))
            $0.attributes = nil
        }
        #expect(try Self.readings(attributes, .invalidSignature) == 1)
    }

    @Test("contents that are given later are what signatures are checked against from then on")
    func detached() throws {
        let decoder = try Self.decoder { $0.isDetached = true }
        #expect(try Self.readings(decoder, .needsDetachedContent) == 0)
        for (contents, expected) in [("other", CMSSignerStatus.invalidSignature), ("contents", .valid)] {
            #expect(CMSDecoderSetDetachedContent(decoder, Data(contents.utf8) as CFData) == errSecSuccess)
            #expect(try Self.readings(decoder, expected) == 1)
        }
    }

    @Test("a certificate that has signed several times is judged once by a policy")
    func judgements() throws {
        let decoder = try Self.decoder { _ in }
        // A policy is made for each call, as programs do.
        func dates(_ policy: () -> SecPolicy) throws -> Set<Timestamp> {
            var dates: Set<Timestamp> = []
            for index in 0..<5 {
                var trust: SecTrust?
                let result = CMSDecoderCopySignerStatus(decoder, index, policy(), true, nil, &trust, nil)
                #expect(result == errSecSuccess)
                dates.insert(try #require(trust?.lastEvaluation).date)
            }
            return dates
        }
        let all = [
            try dates { SecPolicyCreateBasicX509() }, try dates { SecPolicyCreateSSL(true, nil) },
            try dates { SecPolicyCreateBasicX509() },
        ]
        #expect(all.map(\.count) == [1, 1, 1])
        #expect(Set(all.joined()).count == 2)
    }
}
