// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Testing

/// A `CCCryptorRef` that is released.
final class TestCryptor {
    private let cryptor: CCCryptorRef

    init(
        _ operation: Int,
        mode: Int,
        key: [UInt8],
        vector: [UInt8],
        padding: CCPadding = CCPadding(ccNoPadding)
    ) throws {
        var cryptor: CCCryptorRef?
        let status = CCCryptorCreateWithMode(
            CCOperation(operation),
            CCMode(mode),
            CCAlgorithm(kCCAlgorithmAES),
            padding,
            vector,
            key,
            key.count,
            nil,
            0,
            0,
            0,
            &cryptor
        )
        try #require(status == kCCSuccess)
        self.cryptor = try #require(cryptor)
    }

    deinit { CCCryptorRelease(cryptor) }

    func reset(_ vector: [UInt8]) throws { try #require(CCCryptorReset(cryptor, vector) == kCCSuccess) }

    func outputLength(_ count: Int, final: Bool) -> Int { CCCryptorGetOutputLength(cryptor, count, final) }

    func update(_ input: [UInt8], room: Int) -> (status: CCCryptorStatus, output: [UInt8], moved: Int) {
        step(room) { CCCryptorUpdate(cryptor, input, input.count, $0, room, $1) }
    }

    func final(room: Int) -> (status: CCCryptorStatus, output: [UInt8], moved: Int) {
        step(room) { CCCryptorFinal(cryptor, $0, room, $1) }
    }

    /// All of a message, in exactly the room that each step asks for.
    func transform(_ input: [UInt8], inPartsOf count: Int) throws -> [UInt8] {
        var output: [UInt8] = []
        for start in stride(from: 0, to: input.count, by: count) {
            let part = Array(input[start..<min(start + count, input.count)])
            let step = update(part, room: outputLength(part.count, final: false))
            try #require(step.status == kCCSuccess)
            output += step.output
        }
        let last = final(room: outputLength(0, final: true))
        try #require(last.status == kCCSuccess)
        return output + last.output
    }

    private func step(
        _ room: Int,
        _ body: (UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>) -> CCCryptorStatus
    ) -> (status: CCCryptorStatus, output: [UInt8], moved: Int) {
        var output = [UInt8](repeating: 0, count: room)
        var moved = 0
        let status = output.withUnsafeMutableBytes { body($0.baseAddress, &moved) }
        return (status, status == kCCSuccess ? Array(output.prefix(moved)) : [], moved)
    }
}
