// SPDX-License-Identifier: Apache-2.0

/// Finds misuse of the keychain in source code.
public struct Linter: Sendable {
    let parser: any SourceParser

    package init(parser: any SourceParser) { self.parser = parser }

    /// The options of a run.
    public struct Options: Sendable {
        /// The rules to run, by name; nil for all.
        public var rules: Set<String>?
        /// Rules not to run.
        public var disabled: Set<String> = []
        /// Whether notes of medium confidence and findings of low confidence are reported.
        public var isPedantic = false
        /// Severities that replace those of rules.
        public var severities: [String: Severity] = [:]
        /// Patterns of the names of types that may call item functions, for `direct-secitem-in-business-logic`.
        public var stores: [String] = []
        /// The keychain access groups of entitlements files before a change, by path; nil if unknown.
        public var formerGroups: [String: [String]]?
        /// Whether all CI jobs run on machines that are thrown away; nil: what each job says.
        public var hostedRunners: Bool?
        /// What fingerprints have before the paths of files, so that they do not depend on which folder is linted.
        public var fingerprintPrefix = ""

        /// The default: all rules.
        public init() {}
    }

    /// The outcome of a run.
    public struct Outcome: Sendable {
        /// The findings, by file and line.
        public var findings: [Finding] = []
        /// The files that could not be read, with reasons.
        public var skipped: [Skipped] = []
        /// The keychain access groups of entitlements files, by path.
        public var accessGroups: [String: [String]] = [:]
        /// Findings that comments in the code suppress.
        public var suppressedCount = 0
        /// The number of files examined.
        public var fileCount = 0
        /// The number of files parsed.
        public var parsedCount = 0
        /// The number of lines in all examined files.
        public var lineCount = 0
        /// The time spent reading.
        public var readingTime = Duration.zero
        /// The time spent parsing, added up over threads.
        public var parsingTime = Duration.zero
        /// The time spent on analysis.
        public var analysisTime = Duration.zero
    }

    /// A file that was skipped, or a comment in one that suppresses nothing.
    public struct Skipped: Sendable, Hashable {
        /// The file, relative to the given path; for a comment with its line.
        public var file: String
        /// The reason.
        public var reason: Reason

        /// Why a file or a comment was skipped.
        public enum Reason: Sendable, Hashable, CustomStringConvertible {
            /// There is no such file.
            case missing
            /// The file or folder cannot be read.
            case unreadable
            /// The file is larger than 5 MB.
            case tooLarge
            /// The file is neither UTF-8 nor marked UTF-16.
            case notUTF8
            /// A part of the file does not parse; the rest was linted.
            case unparsed
            /// A part of the file is nested too deeply; the rest was linted.
            case tooDeep
            /// The function at the line is too long to be followed to its end.
            case tooLong
            /// The problem with a comment.
            case comment(String)

            /// The reason as the end of a sentence about the file.
            public var description: String {
                switch self {
                case .missing: "does not exist"
                case .unreadable: "cannot be read"
                case .tooLarge: "is larger than 5 MB"
                case .notUTF8: "is neither UTF-8 nor UTF-16 with a byte order mark"
                case .unparsed: "does not parse; what does was linted"
                case .tooDeep: "has code that is nested too deeply to be followed; the rest was linted"
                case .tooLong: "has a function that is too long to be followed to its end"
                case .comment(let problem): problem
                }
            }
        }
    }

    /// Lints texts by their paths.
    public func lint(_ texts: [String: String], options: Options = Options()) -> Outcome {
        let files = texts.sorted { $0.key < $1.key }.map { InputFile(path: $0.key, load: .bytes(Array($0.value.utf8))) }
        return lint(files, options: options)
    }

    /// A file that is read on demand.
    package struct InputFile: Sendable {
        package enum Load: Sendable {
            case bytes([UInt8])
            case path(String)
        }
        package var path: String
        package var load: Load

        package init(path: String, load: Load) {
            self.path = path
            self.load = load
        }
    }
}
