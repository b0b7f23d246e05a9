// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A ZIP archive in memory (APPNOTE.TXT of PKWARE, 6.3): nothing of it is ever written to a file.
struct ZipArchive {
    private let contents: SecretBytes
    private let entries: [String: Entry]

    /// How many files it has.
    var count: Int { entries.count }

    private struct Entry {
        let method: Int
        let compressedCount: Int
        let count: Int
        let offset: Int
        /// The CRC-32 of the file.
        let check: Int
    }

    /// The most files that are looked at.
    private static let largestCount = 100_000

    /// Reads the directory of an archive.
    ///
    /// - Throws: ``Refusal`` for what is none, for one in several parts, of 4 GiB or more, or encrypted, and for one
    ///   with a name twice.
    init(_ contents: SecretBytes) throws(Refusal) {
        self.contents = contents
        entries = try contents.withUnsafeBytes { (bytes) throws(Refusal) in
            let reader = LittleEndianReader(bytes: bytes)
            // The end of the directory has a comment of up to 65,535 bytes after it.
            var end: Int?
            let first = max(0, bytes.count - 22 - 0xFFFF)
            for place in stride(from: bytes.count - 22, through: first, by: -1)
            where reader.number(place, 4) == 0x0605_4B50 {
                end = place
                break
            }
            guard let end, reader.number(end + 4, 4) == 0, let count = reader.number(end + 10, 2),
                var place = reader.number(end + 16, 4), count <= Self.largestCount
            else { throw Self.malformed }
            var entries: [String: Entry] = [:]
            for _ in 0..<count {
                guard reader.number(place, 4) == 0x0201_4B50, let flags = reader.number(place + 8, 2),
                    let method = reader.number(place + 10, 2), let check = reader.number(place + 16, 4),
                    let compressed = reader.number(place + 20, 4),
                    let size = reader.number(place + 24, 4), let nameCount = reader.number(place + 28, 2),
                    let extraCount = reader.number(place + 30, 2), let commentCount = reader.number(place + 32, 2),
                    let offset = reader.number(place + 42, 4), place + 46 + nameCount <= bytes.count
                else { throw Self.malformed }
                guard flags & 1 == 0 else { throw Refusal("the archive is encrypted") }
                let name = String(decoding: bytes[place + 46..<place + 46 + nameCount], as: UTF8.self)
                let entry = Entry(
                    method: method,
                    compressedCount: compressed,
                    count: size,
                    offset: offset,
                    check: check
                )
                guard entries.updateValue(entry, forKey: name) == nil else { throw Self.malformed }
                place += 46 + nameCount + extraCount + commentCount
            }
            return entries
        }
    }

    /// The names that begin like this.
    func names(beginningWith prefix: String) -> [String] { entries.keys.filter { $0.hasPrefix(prefix) } }

    /// A file of exactly this name.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: ``Refusal`` for one that is larger than the limit once it is decompressed, or damaged.
    func file(_ name: String, atMost limit: Int) throws(Refusal) -> [UInt8]? {
        guard let entry = entries[name] else { return nil }
        return try contents.withUnsafeBytes { (bytes) throws(Refusal) in
            let reader = LittleEndianReader(bytes: bytes)
            guard reader.number(entry.offset, 4) == 0x0403_4B50, let nameCount = reader.number(entry.offset + 26, 2),
                let extraCount = reader.number(entry.offset + 28, 2)
            else { throw Self.malformed }
            let start = entry.offset + 30 + nameCount + extraCount
            guard start + entry.compressedCount <= bytes.count else { throw Self.malformed }
            guard entry.count <= limit else { throw Self.tooLarge(name, limit) }
            let compressed = UnsafeRawBufferPointer(rebasing: bytes[start..<start + entry.compressedCount])
            let plain: [UInt8]
            switch entry.method {
            case 0: plain = Array(compressed)
            case 8:
                do throws(Inflate.Fault) {
                    plain = try Inflate.bytes(of: compressed, atMost: entry.count)
                } catch { throw Self.malformed }
            default: throw Refusal("the archive is compressed by a method that is not known")
            }
            // Without the code, a changed bit of a password would not be noticed.
            guard plain.count == entry.count, Int(CRC32.code(of: plain)) == entry.check else { throw Self.malformed }
            return plain
        }
    }

    private static let malformed = Refusal("the archive is damaged, or none")

    private static func tooLarge(_ name: String, _ limit: Int) -> Refusal {
        Refusal("'\(name.printable)' in the archive has more than \(limit) bytes")
    }
}

/// The check code of files in archives (APPNOTE.TXT, 4.4.7).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { code, _ in code & 1 == 1 ? code >> 1 ^ 0xEDB8_8320 : code >> 1 }
    }

    /// The code of some bytes.
    static func code(of bytes: some Sequence<UInt8>) -> UInt32 {
        let table = table
        return ~bytes.reduce(UInt32.max) { code, byte in table[Int(UInt8(truncatingIfNeeded: code) ^ byte)] ^ code >> 8
        }
    }
}

/// Numbers of bytes, the lowest first.
private struct LittleEndianReader {
    let bytes: UnsafeRawBufferPointer

    /// A number of some bytes; `nil` past the end.
    func number(_ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place <= bytes.count - count else { return nil }
        return (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
}
