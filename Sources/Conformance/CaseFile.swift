// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file with one case, a JSON object, on each line.
///
/// Blank lines are passed over.
package enum CaseFile {
    /// Reads the cases of a file.
    ///
    /// - Throws: ``CaseFileError`` when the file cannot be read, or naming the first line that is not a case.
    package static func load(_ url: URL) throws -> [Case] {
        let contents: Data
        do {
            contents = try Data(contentsOf: url)
        } catch {
            throw CaseFileError(file: url.path, line: nil, reason: "cannot be read: \(error.localizedDescription)")
        }
        guard let text = String(data: contents, encoding: .utf8) else {
            throw CaseFileError(file: url.path, line: nil, reason: "is not UTF-8")
        }
        return try parse(text, file: url.path)
    }

    /// Reads the cases of a text; `file` is the name that errors give.
    package static func parse(_ text: String, file: String) throws -> [Case] {
        var cases: [Case] = []
        var lineOfID: [String: Int] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.contains(where: { !$0.isWhitespace }) else { continue }
            let parsed = try parse(line: String(line), number: index + 1, file: file)
            if let earlier = lineOfID.updateValue(index + 1, forKey: parsed.id) {
                let reason = "\"\(parsed.id)\" is also the id of line \(earlier)"
                throw CaseFileError(file: file, line: index + 1, reason: reason)
            }
            cases.append(parsed)
        }
        return cases
    }

    private static func parse(line: String, number: Int, file: String) throws -> Case {
        do {
            return try JSONDecoder().decode(Case.self, from: Data(line.utf8))
        } catch let error as DecodingError {
            throw CaseFileError(file: file, line: number, reason: error.reason)
        }
    }
}

/// A case file that cannot be used at all.
package struct CaseFileError: Error, Equatable, CustomStringConvertible {
    package var file: String
    /// Counted from 1; `nil` when the whole file is meant.
    package var line: Int?
    package var reason: String

    package var description: String {
        guard let line else { return "\(file): \(reason)" }
        return "\(file):\(line): \(reason)"
    }
}

extension DecodingError {
    fileprivate var reason: String {
        switch self {
        case .keyNotFound(let key, _): "no member \"\(key.stringValue)\""
        case .typeMismatch(_, let context), .valueNotFound(_, let context): Self.wrongKind(context)
        case .dataCorrupted: "is not a JSON object"
        @unknown default: "cannot be decoded: \(self)"
        }
    }

    private static func wrongKind(_ context: Context) -> String {
        guard let name = context.codingPath.last?.stringValue else { return "is not a JSON object" }
        return "member \"\(name)\" is of the wrong kind"
    }
}
