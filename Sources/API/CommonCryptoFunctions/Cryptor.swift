// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Crypto
import Foundation

/// The object behind a `CCCryptorRef`: a key, a mode, and input that does not fill a block yet.
///
/// Nothing changes when a call fails, so it can be repeated with a larger buffer.
final class Cryptor {
    private let key: SymmetricKey
    private let encrypts: Bool
    private let pads: Bool
    private let modeNumber: Int
    private var mode: AESMode
    private var pending: [UInt8] = []
    private var hasEnded = false

    private static let blockByteCount = AESMode.blockByteCount

    /// Creates a cryptor; throws the status for invalid arguments.
    init(
        operation: CCOperation,
        mode: Int,
        algorithm: CCAlgorithm,
        pads: Bool,
        key: UnsafeRawBufferPointer,
        initializationVector: UnsafeRawPointer?
    ) throws(CryptorError) {
        guard key.baseAddress != nil, operation == kCCEncrypt || operation == kCCDecrypt else {
            throw CryptorError(kCCParamError)
        }
        guard algorithm <= kCCAlgorithmBlowfish else { throw CryptorError(kCCParamError) }
        guard algorithm == kCCAlgorithmAES else { throw CryptorError(kCCUnimplemented) }
        guard [kCCKeySizeAES128, kCCKeySizeAES192, kCCKeySizeAES256].contains(key.count) else {
            throw CryptorError(kCCKeySizeError)
        }
        guard let start = AESMode(mode, initializationVector: initializationVector) else {
            throw CryptorError(kCCUnimplemented)
        }
        self.key = SymmetricKey(data: key)
        self.mode = start
        self.pads = pads && !start.isStream
        encrypts = operation == kCCEncrypt
        modeNumber = mode
    }

    deinit { pending.wipe() }

    /// Starts another message.
    func reset(initializationVector: UnsafeRawPointer?) {
        pending.wipe()
        pending = []
        hasEnded = false
        mode = AESMode(modeNumber, initializationVector: initializationVector) ?? mode
    }

    /// The most that comes of more input, with or without the end of the message.
    func outputByteCount(adding count: Int, final: Bool) -> Int {
        if mode.isStream { return count }
        let (total, overflow) = pending.count.addingReportingOverflow(count)
        guard !overflow, total <= Int.max - Self.blockByteCount else { return Int.max }
        if !final { return readyByteCount(of: total) }
        return pads && encrypts ? total / Self.blockByteCount * Self.blockByteCount + Self.blockByteCount : total
    }

    /// Takes a part of the message; returns how much was written.
    func update(_ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer) throws(CryptorError) -> Int {
        guard !hasEnded else { throw CryptorError(kCCCallSequenceError) }
        let needed = outputByteCount(adding: input.count, final: false)
        guard needed <= output.count else { throw CryptorError(kCCBufferTooSmall, needed: needed) }

        var all = pending + input
        defer { all.wipe() }
        var ready = Array(all.prefix(needed))
        defer { ready.wipe() }
        var result = try transform(ready)
        defer { result.wipe() }
        pending.wipe()
        pending = Array(all.dropFirst(needed))
        output.copyBytes(from: result)
        return result.count
    }

    /// Ends the message; returns how much was written.
    func finish(to output: UnsafeMutableRawBufferPointer) throws(CryptorError) -> Int {
        guard !hasEnded else { throw CryptorError(kCCCallSequenceError) }
        let before = mode
        var last = try lastBytes()
        defer { last.wipe() }
        guard last.count <= output.count else {
            mode = before
            throw CryptorError(kCCBufferTooSmall, needed: last.count)
        }
        output.copyBytes(from: last)
        pending.wipe()
        pending = []
        hasEnded = true
        return last.count
    }

    /// How many bytes of the input are transformed before its end is known: a block that may be padding waits.
    private func readyByteCount(of total: Int) -> Int {
        if mode.isStream { return total }
        let whole = total / Self.blockByteCount * Self.blockByteCount
        return pads && !encrypts && whole == total ? Swift.max(0, whole - Self.blockByteCount) : whole
    }

    private func lastBytes() throws(CryptorError) -> [UInt8] {
        guard pads else {
            guard pending.isEmpty else { throw CryptorError(kCCAlignmentError) }
            return []
        }
        guard encrypts else { return try unpaddedLastBlock() }
        let missing = Self.blockByteCount - pending.count
        var block = pending + Array(repeating: UInt8(missing), count: missing)
        defer { block.wipe() }
        return try transform(block)
    }

    private func unpaddedLastBlock() throws(CryptorError) -> [UInt8] {
        guard pending.count == Self.blockByteCount else { throw CryptorError(kCCDecodeError) }
        var block = try transform(pending)
        defer { block.wipe() }
        let missing = Int(block[Self.blockByteCount - 1])
        // All bytes are compared, so that invalid padding takes as long as valid padding.
        var difference: UInt8 = 0
        for index in 0..<Self.blockByteCount {
            let isPadding = index >= Self.blockByteCount - missing
            difference |= isPadding ? block[index] ^ UInt8(truncatingIfNeeded: missing) : 0
        }
        guard (1...Self.blockByteCount).contains(missing), difference == 0 else { throw CryptorError(kCCDecodeError) }
        return Array(block.dropLast(missing))
    }

    private func transform(_ input: [UInt8]) throws(CryptorError) -> [UInt8] {
        do { return try mode.transform(input, using: key, encrypts: encrypts) } catch {
            throw CryptorError(kCCUnspecifiedError)
        }
    }
}

/// A status, and with `kCCBufferTooSmall` the size that is needed.
struct CryptorError: Error {
    let status: CCCryptorStatus
    let needed: Int?

    init(_ status: Int, needed: Int? = nil) {
        self.status = CCCryptorStatus(status)
        self.needed = needed
    }
}
