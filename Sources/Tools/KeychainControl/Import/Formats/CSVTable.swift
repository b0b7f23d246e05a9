// SPDX-License-Identifier: Apache-2.0

/// A table of values that are separated by commas (RFC 4180), with a header.
struct CSVTable {
    /// The names of the columns.
    let header: [String]

    /// The other records, each with the line on which it begins.
    let rows: [(line: Int, fields: [String])]

    /// Reads a table.
    ///
    /// - Throws: ``Refusal`` with the line of a mistake; it repeats no value.
    init(_ text: String) throws(Refusal) {
        var records = try Self.records(text)
        guard !records.isEmpty else { throw Refusal("the file is empty") }
        header = records.removeFirst().fields
        for record in records where record.fields.count != header.count {
            throw Refusal(
                "line \(record.line): the record has \(Count.text(record.fields.count, "field")), the header "
                    + "\(header.count)"
            )
        }
        rows = records
    }

    /// The first record, for what the file is; `nil` if it has a mistake.
    static func header(of text: String) -> [String]? { try? records(text, limit: 1).first?.fields }

    private static func records(
        _ text: String,
        limit: Int = .max
    ) throws(Refusal) -> [(line: Int, fields: [String])] {
        var text = text
        // Contiguous, so that bytes are reached without a copy.
        text.makeContiguousUTF8()
        var records: [(line: Int, fields: [String])] = []
        var (fields, field): ([String], [UInt8]) = ([], [])
        var (line, start) = (1, 1)
        var state = State.beginning
        func end(_ line: Int) {
            fields.append(String(decoding: field, as: UTF8.self))
            field.removeAll(keepingCapacity: true)
            // An empty line is no record.
            if fields.count > 1 || fields.first?.isEmpty == false || state == .closed {
                records.append((start, fields))
            }
            fields.removeAll(keepingCapacity: true)
            (start, state) = (line, .beginning)
        }
        var previous: UInt8 = 0
        for byte in text.utf8 {
            guard records.count < limit else { return records }
            defer { previous = byte }
            switch (state, byte) {
            case (.quoted, UInt8(ascii: "\"")): state = .closed
            case (.quoted, _):
                if byte == 0x0A { line += 1 }
                field.append(byte)
            case (.closed, UInt8(ascii: "\"")) where previous == UInt8(ascii: "\""):
                field.append(byte)
                state = .quoted
            case (.beginning, UInt8(ascii: "\"")): state = .quoted
            case (_, UInt8(ascii: ",")):
                if state == .plain, previous == 0x0D { field.append(0x0D) }
                fields.append(String(decoding: field, as: UTF8.self))
                field.removeAll(keepingCapacity: true)
                state = .beginning
            case (_, 0x0A):
                line += 1
                end(line)
            // A part of the end of a line, or of a value.
            case (_, 0x0D) where previous != 0x0D: if state == .beginning { state = .plain }
            case (.closed, _): throw Refusal("line \(line): something follows a closing quotation mark")
            default:
                if previous == 0x0D { field.append(0x0D) }
                field.append(byte)
                state = .plain
            }
        }
        guard state != .quoted else { throw Refusal("line \(start): a quotation mark is not closed") }
        if state != .beginning || !fields.isEmpty { end(line) }
        return records
    }

    private enum State {
        case beginning
        case plain
        case quoted
        case closed
    }
}

extension CSVTable {
    /// The text of a table, with CRLF after each record and every value in quotation marks.
    static func text(_ records: [[String]]) -> String {
        records.map { record in
            record.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",") + "\r\n"
        }
        .joined()
    }
}
