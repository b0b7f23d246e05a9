// SPDX-License-Identifier: Apache-2.0

/// What an ELF file (elf(5)) says of its code, and of the libraries it is linked to.
struct ELFFile {
    /// The names of the libraries that the loader loads for it (`DT_NEEDED`), such as `libc.so.6`.
    let libraries: [String]

    /// The parts of the file that are executed (`PT_LOAD` with `PF_X`).
    let code: [Range<UInt64>]

    /// Whether it is a program rather than a library (`ET_EXEC`, `DF_1_PIE`).
    let isProgram: Bool

    /// At most as many program headers, of as many bytes, entries of the dynamic section, and bytes of a name are read.
    private static let limit = (headers: 1_024, headerSize: 256, entries: 8_192, name: 1_024)

    /// Reads a file; `nil` if it is not a complete ELF file.
    ///
    /// - Parameter read: gives as many bytes at an offset of the file, or fewer at its end; `nil` on failure.
    init?(_ read: (_ offset: UInt64, _ count: Int) -> [UInt8]?) {
        guard let identification = read(0, 16), let layout = Layout(identification),
            let header = read(0, layout.headerSize), header.count == layout.headerSize
        else { return nil }
        let start = layout.word(header, layout.headersOffset)
        let (size, count) = (
            Int(layout.half(header, layout.headersSize)), Int(layout.half(header, layout.headersCount))
        )
        guard count <= Self.limit.headers, size <= Self.limit.headerSize, count == 0 || size >= layout.segmentSize
        else {
            return nil
        }
        guard let headers = read(start, size * count), headers.count == size * count else { return nil }
        let segments = (0..<count).map { Segment(headers, at: $0 * size, layout) }
        var code: [Range<UInt64>] = []
        for segment in segments where segment.isCode {
            let (end, isTooLarge) = segment.offset.addingReportingOverflow(segment.size)
            guard !isTooLarge else { return nil }
            code.append(segment.offset..<end)
        }
        self.code = code
        let isFixed = layout.half(header, Layout.typeOffset) == Self.fixedProgram
        guard let dynamic = segments.first(where: { $0.kind == Segment.dynamic }) else {
            libraries = []
            isProgram = isFixed
            return
        }
        let entrySize = 2 * layout.wordSize
        let entryCount = min(dynamic.size / UInt64(entrySize), UInt64(Self.limit.entries))
        guard let section = read(dynamic.offset, Int(entryCount) * entrySize) else { return nil }
        let entries = stride(from: 0, through: section.count - entrySize, by: entrySize)
            .map { (tag: layout.word(section, $0), value: layout.word(section, $0 + layout.wordSize)) }
            .prefix { $0.tag != Tag.end }
        isProgram = isFixed || entries.contains { $0.tag == Tag.flags && $0.value & Self.isPositionIndependent != 0 }
        let table = entries.last { $0.tag == Tag.nameTable }?.value
        let names = entries.filter { $0.tag == Tag.needed }.map(\.value)
        var libraries: [String] = []
        for name in names {
            guard let address = table?.addingReportingOverflow(name), !address.overflow,
                let offset = segments.lazy.compactMap({ $0.offset(of: address.partialValue) }).first,
                let bytes = read(offset, Self.limit.name), let end = bytes.firstIndex(of: 0)
            else { return nil }
            libraries.append(String(decoding: bytes[..<end], as: UTF8.self))
        }
        self.libraries = libraries
    }

    /// Kinds of entries of the dynamic section.
    private enum Tag {
        static let end: UInt64 = 0
        static let needed: UInt64 = 1
        static let nameTable: UInt64 = 5
        static let flags: UInt64 = 0x6FFF_FFFB
    }

    /// The kind of a program that is loaded to fixed addresses.
    private static let fixedProgram: UInt64 = 2

    /// The flag of a program that is not; the loader refuses it as a library.
    private static let isPositionIndependent: UInt64 = 0x0800_0000

    private struct Segment {
        static let load: UInt32 = 1
        static let dynamic: UInt32 = 2

        private static let executable: UInt32 = 1

        let kind: UInt32
        private let rights: UInt32
        let offset: UInt64
        private let address: UInt64
        let size: UInt64

        init(_ headers: [UInt8], at start: Int, _ layout: Layout) {
            kind = UInt32(layout.number(headers, start, 4))
            rights = UInt32(layout.number(headers, start + layout.segmentRights, 4))
            offset = layout.word(headers, start + layout.segmentOffset)
            address = layout.word(headers, start + layout.segmentAddress)
            size = layout.word(headers, start + layout.segmentByteCount)
        }

        /// Whether it is loaded to be executed.
        var isCode: Bool { kind == Self.load && rights & Self.executable != 0 && size > 0 }

        /// Where in the file an address is that it is loaded to.
        func offset(of target: UInt64) -> UInt64? {
            guard kind == Self.load, target >= address, target - address < size else { return nil }
            let (sum, isTooLarge) = offset.addingReportingOverflow(target - address)
            return isTooLarge ? nil : sum
        }
    }

    /// The places of fields, which depend on the class of the file.
    private struct Layout {
        static let typeOffset = 16

        let is64: Bool
        let isBigEndian: Bool

        init?(_ identification: [UInt8]) {
            guard identification.count == 16, identification.starts(with: [0x7F] + Array("ELF".utf8)),
                (1...2).contains(identification[4]), (1...2).contains(identification[5])
            else { return nil }
            is64 = identification[4] == 2
            isBigEndian = identification[5] == 2
        }

        var wordSize: Int { is64 ? 8 : 4 }
        var headerSize: Int { is64 ? 64 : 52 }
        var headersOffset: Int { is64 ? 32 : 28 }
        var headersSize: Int { is64 ? 54 : 42 }
        var headersCount: Int { is64 ? 56 : 44 }
        var segmentSize: Int { is64 ? 56 : 32 }
        var segmentRights: Int { is64 ? 4 : 24 }
        var segmentOffset: Int { is64 ? 8 : 4 }
        var segmentAddress: Int { is64 ? 16 : 8 }
        var segmentByteCount: Int { is64 ? 32 : 16 }

        func half(_ bytes: [UInt8], _ start: Int) -> UInt64 { number(bytes, start, 2) }
        func word(_ bytes: [UInt8], _ start: Int) -> UInt64 { number(bytes, start, wordSize) }

        func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
            let field = bytes[start..<(start + count)]
            return (isBigEndian ? Array(field) : field.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
