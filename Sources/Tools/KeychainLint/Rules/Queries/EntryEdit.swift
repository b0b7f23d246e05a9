// SPDX-License-Identifier: Apache-2.0

/// Edits of the entries of a dictionary.
enum EntryEdit {
    /// Removes an entry: from a literal with its comma, or the statement that writes it.
    ///
    /// - Returns: nil if the code around the entry is not understood.
    static func removal(_ place: Place, _ module: Module, title: String) -> Finding.Fix? {
        let text = module.files[place.file].text
        var start = place.range.start
        var end = place.range.end
        func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }
        var after = end
        while after < text.count, isBlank(text[after]), text[after] != 10 { after += 1 }
        var before = start
        while before > 0, isBlank(text[before - 1]) { before -= 1 }
        if after < text.count, text[after] == UInt8(ascii: ",") {
            // An entry followed by another one.
            end = after + 1
            while end < text.count, isBlank(text[end]) { end += 1 }
        } else if before > 0, text[before - 1] == UInt8(ascii: ",") {
            start = before - 1
        } else {
            // A statement on a line of its own.
            let isAlone = after >= text.count || text[after] == 10 || text[after] == 13
            var line = start
            while line > 0, text[line - 1] != 10 {
                line -= 1
                guard text[line] == 32 || text[line] == 9 else { return nil }
            }
            guard isAlone, line > 0 else { return nil }
            start = line
            end = min(text.count, after + 1)
            // Without it a block of one statement would be empty.
            guard before > 0, text[before - 1] != UInt8(ascii: "{"), text[before - 1] != UInt8(ascii: ":") else {
                return nil
            }
        }
        return Finding.Fix(isSafe: true, title: title, start: start, end: end, replacement: "")
    }

    /// Appends an entry to a dictionary literal.
    ///
    /// - Returns: nil if the literal is not in the file of the finding, is empty, or has keys in mixed styles.
    static func insertion(
        of key: String,
        value: String,
        into origin: Place?,
        file: Int,
        module: Module
    ) -> Finding.Fix? {
        guard let origin, origin.file == file else { return nil }
        let text = module.files[file].text
        let literal = module.files[file].text(origin.range)
        guard literal.hasPrefix("["), literal.hasSuffix("]"), literal.contains("kSecClass"), !literal.contains("//"),
            !literal.contains("/*")
        else { return nil }
        var end = origin.range.end - 1
        while end > origin.range.start, [32, 9, 10, 13, UInt8(ascii: ",")].contains(text[end - 1]) { end -= 1 }
        let isString = literal.contains("kSecClass as String")
        let isObject = literal.contains("kSecClass as NSString")
        let name = isString ? "\(key) as String" : isObject ? "\(key) as NSString" : key
        return Finding.Fix(
            isSafe: true,
            title: "add \(key): \(value)",
            start: end,
            end: end,
            replacement: ", \(name): \(value)"
        )
    }
}
