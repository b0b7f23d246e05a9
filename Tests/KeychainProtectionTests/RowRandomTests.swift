// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

/// What is random in a sealed row.
struct RowRandomTests {
    /// A source that gives the same bytes each time.
    private struct FixedSource: RandomSource {
        func bytes16() -> Bytes16 { .counting(from: 16) }
    }

    /// The version and the nonces of a row that is sealed.
    private func parts(_ random: RowRandom) -> [[UInt8]] {
        [Array(random.version.bytes.prefix(12)), Array(random.metadataNonce), Array(random.secretNonce)]
    }

    @Test("nothing comes twice, in one row or in several")
    func isFresh() {
        let rows = (0..<500).flatMap { _ in parts(RowRandom(SystemRandomSource())) }
        #expect(Set(rows).count == rows.count)
        #expect(rows.allSatisfy { $0.count == GCM.nonceByteCount && $0 != Array(repeating: 0, count: $0.count) })
    }

    @Test("nonces are the system's, whatever the version comes from")
    func nonces() {
        let rows = (0..<100).map { _ in parts(RowRandom(FixedSource())) }
        #expect(Set(rows.map { $0[0] }) == [Array(16..<28)])
        let nonces = rows.flatMap { $0.dropFirst() }
        #expect(Set(nonces).count == nonces.count)
    }

    @Test("every byte that the system's source is to fill is filled")
    func filling() {
        for count in [0, 1, 24, 300] {
            var bytes = [UInt8](repeating: 0, count: count)
            var union = bytes
            for _ in 0..<20 {
                _ = bytes.withUnsafeMutableBytes { SystemRandomSource().bytes16(filling: $0) }
                for index in bytes.indices { union[index] |= bytes[index] }
            }
            #expect(union.allSatisfy { $0 != 0 })
        }
    }
}
