// SPDX-License-Identifier: Apache-2.0

/// Decompresses DEFLATE (RFC 1951).
struct Inflate {
    /// Why a stream is not one.
    enum Fault: Error, Hashable {
        case malformed
        /// It has more than the limit.
        case tooLong
    }

    private let input: UnsafeRawBufferPointer
    private let limit: Int
    private var position = 0
    private var (bits, bitCount): (UInt32, Int) = (0, 0)
    private var output: [UInt8] = []

    private init(_ input: UnsafeRawBufferPointer, limit: Int) { (self.input, self.limit) = (input, limit) }

    /// The bytes of a stream, at most so many.
    static func bytes(of input: UnsafeRawBufferPointer, atMost limit: Int) throws(Fault) -> [UInt8] {
        var inflate = Inflate(input, limit: limit)
        var isLast = false
        while !isLast {
            isLast = try inflate.take(1) == 1
            switch try inflate.take(2) {
            case 0: try inflate.copyStored()
            case 1: try inflate.decode(fixedLengths, fixedDistances)
            case 2:
                let (lengths, distances) = try inflate.tables()
                try inflate.decode(lengths, distances)
            default: throw .malformed
            }
        }
        return inflate.output
    }

    private mutating func take(_ count: Int) throws(Fault) -> Int {
        while bitCount < count {
            guard position < input.count else { throw .malformed }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        let value = bits & (1 << UInt32(count) - 1)
        bits >>= UInt32(count)
        bitCount -= count
        return Int(value)
    }

    private mutating func append(_ byte: UInt8) throws(Fault) {
        guard output.count < limit else { throw .tooLong }
        output.append(byte)
    }

    private mutating func copyStored() throws(Fault) {
        (bits, bitCount) = (0, 0)
        guard position + 4 <= input.count else { throw .malformed }
        let count = Int(input[position]) | Int(input[position + 1]) << 8
        let complement = Int(input[position + 2]) | Int(input[position + 3]) << 8
        position += 4
        guard count ^ complement == 0xFFFF, position + count <= input.count else { throw .malformed }
        guard output.count + count <= limit else { throw .tooLong }
        output += input[position..<position + count]
        position += count
    }

    /// A canonical code of Huffman's: how many symbols have each length, and the symbols in the order of their codes.
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        init(_ lengths: some Collection<Int>) throws(Fault) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            var left = 1
            for length in 1..<16 {
                left = left << 1 - counts[length]
                guard left >= 0 else { throw .malformed }
            }
            for length in 1..<16 {
                for (symbol, own) in lengths.enumerated() where own == length { symbols.append(symbol) }
            }
        }
    }

    private mutating func symbol(_ code: Code) throws(Fault) -> Int {
        var (value, first, index) = (0, 0, 0)
        for length in 1..<16 {
            value |= try take(1)
            let count = code.counts[length]
            if value - count < first { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        throw .malformed
    }

    private mutating func decode(_ lengths: Code?, _ distances: Code?) throws(Fault) {
        guard let lengths, let distances else { throw .malformed }
        while true {
            let symbol = try symbol(lengths)
            if symbol < 256 {
                try append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return }
            guard symbol - 257 < Self.lengthBases.count else { throw .malformed }
            let length = Self.lengthBases[symbol - 257] + (try take(Self.lengthBits[symbol - 257]))
            let code = try self.symbol(distances)
            guard code < Self.distanceBases.count else { throw .malformed }
            let distance = Self.distanceBases[code] + (try take(Self.distanceBits(code)))
            guard distance <= output.count else { throw .malformed }
            for _ in 0..<length { try append(output[output.count - distance]) }
        }
    }

    private mutating func tables() throws(Fault) -> (Code, Code) {
        let (lengthCount, distanceCount) = (try take(5) + 257, try take(5) + 1)
        let count = try take(4) + 4
        guard lengthCount <= 286, distanceCount <= 30 else { throw .malformed }
        var lengths = [Int](repeating: 0, count: 19)
        for place in Self.order.prefix(count) { lengths[place] = try take(3) }
        let code = try Code(lengths)
        var all: [Int] = []
        while all.count < lengthCount + distanceCount {
            let symbol = try symbol(code)
            if symbol < 16 {
                all.append(symbol)
                continue
            }
            var length = 0
            if symbol == 16 {
                guard let last = all.last else { throw .malformed }
                length = last
            }
            let repeats =
                switch symbol {
                case 16: 3 + (try take(2))
                case 17: 3 + (try take(3))
                default: 11 + (try take(7))
                }
            guard all.count + repeats <= lengthCount + distanceCount else { throw .malformed }
            all += [Int](repeating: length, count: repeats)
        }
        guard all[256] > 0 else { throw .malformed }
        return (try Code(Array(all[..<lengthCount])), try Code(Array(all[lengthCount...])))
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1_025, 1_537, 2_049, 3_073,
        4_097, 6_145, 8_193, 12_289, 16_385, 24_577,
    ]

    private static func distanceBits(_ code: Int) -> Int { code < 4 ? 0 : code / 2 - 1 }

    private static let fixedLengths = try? Code(
        (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
    )
    private static let fixedDistances = try? Code([Int](repeating: 5, count: 30))
}
