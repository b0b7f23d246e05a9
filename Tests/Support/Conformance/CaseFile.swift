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
        try entries(of: url).map { try $0.get() }
    }

    /// Reads the lines of a file, each a case or the reason why it is none.
    ///
    /// - Throws: ``CaseFileError`` when the file cannot be read.
    package static func entries(of url: URL) throws -> [Result<Case, CaseFileError>] {
        let contents: Data
        do {
            contents = try Data(contentsOf: url)
        } catch {
            throw CaseFileError(file: url.path, line: nil, reason: "cannot be read: \(error.localizedDescription)")
        }
        guard let text = String(data: contents, encoding: .utf8) else {
            throw CaseFileError(file: url.path, line: nil, reason: "is not UTF-8")
        }
        return entries(of: text, file: url.path)
    }

    /// Reads the cases of a text; `file` is the name that errors give.
    package static func parse(_ text: String, file: String) throws -> [Case] {
        try entries(of: text, file: file).map { try $0.get() }
    }

    private static func entries(of text: String, file: String) -> [Result<Case, CaseFileError>] {
        var entries: [Result<Case, CaseFileError>] = []
        var lineOfID: [String: Int] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.contains(where: { !$0.isWhitespace }) else { continue }
            var entry = parse(line: String(line), number: index + 1, file: file)
            if case .success(let parsed) = entry, let earlier = lineOfID.updateValue(index + 1, forKey: parsed.id) {
                let reason = "\"\(parsed.id)\" is also the id of line \(earlier)"
                entry = .failure(CaseFileError(file: file, line: index + 1, reason: reason))
            }
            entries.append(entry)
        }
        return entries
    }

    private static func parse(line: String, number: Int, file: String) -> Result<Case, CaseFileError> {
        do {
            return .success(try JSONDecoder().decode(Case.self, from: Data(line.utf8)))
        } catch {
            let reason = (error as? DecodingError)?.reason ?? "cannot be decoded: \(error)"
            return .failure(CaseFileError(file: file, line: number, reason: reason))
        }
    }
}

/// A case file, or a line of one, that cannot be used.
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
