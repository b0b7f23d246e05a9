// SPDX-License-Identifier: Apache-2.0

/// Rows of cells.
enum TextTable {
    /// Lines of aligned columns for a terminal, else of cells with a tab between them.
    static func text(_ rows: [[String]], isAligned: Bool) -> String {
        guard isAligned else { return rows.map { $0.joined(separator: "\t") }.joined(separator: "\n") }
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], TextWidth.of(cell))
            }
        }
        let lines = rows.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : TextWidth.fitted(cell, to: widths[column]) + "  "
            }.joined()
        }
        return lines.joined(separator: "\n")
    }
}
