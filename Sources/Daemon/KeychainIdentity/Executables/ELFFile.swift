// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The code of an ELF file (elf(5)), the libraries it is linked to, and the folders searched for them.
struct ELFFile {
    /// The names of the libraries that the loader loads for it (`DT_NEEDED` and the like), such as `libc.so.6`.
    let libraries: [String]

    /// The folders in which the loader searches for libraries before the system's (`DT_RPATH`, `DT_RUNPATH`), as
    /// written: `$ORIGIN` is the folder of the file, and an empty one the folder of the process.
    let searchFolders: [String]

    /// The loader (`PT_INTERP`); `nil` for a library, and for a program that is not linked dynamically.
    let loader: String?

    /// The parts of the file that are executed (`PT_LOAD` with `PF_X`).
    let code: [Range<UInt64>]

    /// Whether it is a program rather than a library (`ET_EXEC`, `DF_1_PIE`).
    let isProgram: Bool

    /// The maximum number of program headers, bytes of a header, entries of the dynamic section, and bytes of all names
    /// and folder lists together.
    private static let limit = (headers: 1_024, headerSize: 256, entries: 8_192, names: 1 << 16)

    /// Reads a file; `nil` if it is not a complete program or library in ELF.
    ///
    /// - Parameter read: returns a number of bytes at an offset of the file, or fewer at its end; `nil` on failure.
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
        let type = layout.half(header, Layout.typeOffset)
        guard [Self.fixedProgram, Self.sharedObject].contains(type) else { return nil }
        let isFixed = type == Self.fixedProgram
        if let segment = segments.first(where: { $0.kind == Segment.interpreter }) {
            guard let name = Self.text(at: segment.offset, read) else { return nil }
            loader = name
        } else {
            loader = nil
        }
        guard let dynamic = segments.first(where: { $0.kind == Segment.dynamic }) else {
            (libraries, searchFolders) = ([], [])
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
        var room = Self.limit.names
        func texts(_ tags: Set<UInt64>) -> [String]? {
            var texts: [String] = []
            for entry in entries where tags.contains(entry.tag) {
                guard let address = table?.addingReportingOverflow(entry.value), !address.overflow,
                    let offset = segments.lazy.compactMap({ $0.offset(of: address.partialValue) }).first,
                    let text = Self.text(at: offset, read), text.utf8.count < room
                else { return nil }
                room -= text.utf8.count + 1
                texts.append(text)
            }
            return texts
        }
        func parts(_ lists: [String]) -> [String] {
            lists.filter { !$0.isEmpty }.flatMap { list in
                list.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            }
        }
        guard let libraries = texts(Tag.libraries), let lists = texts(Tag.lists), let folders = texts(Tag.folders)
        else { return nil }
        self.libraries = libraries + parts(lists)
        searchFolders = parts(folders)
    }

    /// The text at an offset of the file, up to a zero; `nil` if it is too long, has too many combining marks, or is
    /// not UTF-8.
    private static func text(at offset: UInt64, _ read: (_ offset: UInt64, _ count: Int) -> [UInt8]?) -> String? {
        // Most are short.
        for count in [256, limit.names] {
            guard let bytes = read(offset, count) else { return nil }
            guard let end = bytes.firstIndex(of: 0) else { continue }
            return String(validating: bytes[..<end], as: UTF8.self).flatMap { $0.hasTooManyMarks ? nil : $0 }
        }
        return nil
    }

    /// Kinds of entries of the dynamic section.
    private enum Tag {
        static let end: UInt64 = 0
        static let nameTable: UInt64 = 5
        /// `DT_NEEDED`, `DT_AUXILIARY` and `DT_FILTER`: each a name.
        static let libraries: Set<UInt64> = [1, 0x7FFF_FFFD, 0x7FFF_FFFF]
        /// `DT_AUDIT` and `DT_DEPAUDIT`: names with colons between them.
        static let lists: Set<UInt64> = [0x6FFF_FEFC, 0x6FFF_FEFB]
        /// `DT_RPATH` and `DT_RUNPATH`.
        static let folders: Set<UInt64> = [15, 29]
        static let flags: UInt64 = 0x6FFF_FFFB
    }

    /// The kind of a program that is loaded to fixed addresses.
    private static let fixedProgram: UInt64 = 2

    /// The type of libraries and of programs at any address (ET_DYN).
    ///
    /// Others, such as the dump of a process's memory (ET_CORE), are not loaded.
    private static let sharedObject: UInt64 = 3

    /// The flag of a program that is not; the loader refuses it as a library.
    private static let isPositionIndependent: UInt64 = 0x0800_0000

    private struct Segment {
        static let load: UInt32 = 1
        static let dynamic: UInt32 = 2
        static let interpreter: UInt32 = 3

        private static let executable: UInt32 = 1

        let kind: UInt32
        private let rights: UInt32
        let offset: UInt64
        private let address: UInt64
        let size: UInt64

        init(_ headers: [UInt8], at start: Int, _ layout: Layout) {
            kind = UInt32(layout.number(in: headers, at: start, count: 4))
            rights = UInt32(layout.number(in: headers, at: start + layout.segmentRights, count: 4))
            offset = layout.word(headers, start + layout.segmentOffset)
            address = layout.word(headers, start + layout.segmentAddress)
            size = layout.word(headers, start + layout.segmentByteCount)
        }

        /// Whether it is loaded to be executed.
        var isCode: Bool { kind == Self.load && rights & Self.executable != 0 && size > 0 }

        /// The offset in the file of an address that it is loaded to.
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

        func half(_ bytes: [UInt8], _ start: Int) -> UInt64 { number(in: bytes, at: start, count: 2) }
        func word(_ bytes: [UInt8], _ start: Int) -> UInt64 { number(in: bytes, at: start, count: wordSize) }

        func number(in bytes: [UInt8], at start: Int, count: Int) -> UInt64 {
            let field = bytes[start..<(start + count)]
            return (isBigEndian ? Array(field) : field.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
