// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost
import Synchronization

/// Determines which of the files that only root can change execute their input: the libraries of interpreters, and
/// other programs.
///
/// A process that has loaded one of them does not necessarily do what its executable says. The result for a file is
/// cached for as long as it is unchanged.
final class SystemCode: Sendable {
    private let known = Mutex<[Key: Kind]>([:])

    private struct Key: Hashable {
        let path: String
        let mark: FileMark
    }

    private enum Kind {
        /// A library, and the parts of it that hold code, in whole pages.
        case library([Range<UInt64>])
        case interpreter
        case program
        /// Data, such as a journal or a picture, in which a program may find any code it likes.
        case other

        func objection(to parts: [Range<UInt64>]) -> String? {
            switch self {
            case .library(let code):
                parts.allSatisfy { $0.isCovered(by: code) } ? nil : "has no code there"
            case .interpreter: "is an interpreter"
            case .program: "is another program"
            case .other: "is no library"
            }
        }
    }

    /// The number of files after which all of them are forgotten.
    private static let capacity = 4096

    /// Why a program may not have loaded a file that only root can change.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - path: its path, whose last component identifies interpreters.
    ///   - parts: the parts of it that the program can execute.
    /// - Returns: The rest of a sentence about the file; `nil` if it may have loaded it.
    func objection(to file: borrowing Descriptor, _ path: String, _ parts: [Range<UInt64>]) -> String? {
        guard let status = file.status else { return "cannot be read" }
        let key = Key(path: path, mark: FileMark(status))
        if let kind = known.withLock({ $0[key] }) { return kind.objection(to: parts) }
        let kind = Self.kind(of: file, path)
        known.withLock { known in
            if known.count >= Self.capacity { known = [:] }
            known[key] = kind
        }
        return kind.objection(to: parts)
    }

    private static func kind(of file: borrowing Descriptor, _ path: String) -> Kind {
        let name = path.pathNames.last ?? ""
        if InterpreterNames.isInterpreterLibrary(name) { return .interpreter }
        // Linkers have marked programs whose addresses are not fixed since about 2016 only.
        if InterpreterNames.isInterpreter(name), !InterpreterNames.isLoader(name) { return .interpreter }
        guard let content = ELFFile({ file.contents(at: $0, count: $1) }) else { return .other }
        if content.isProgram { return .program }
        // The loader maps whole pages.
        let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        var code: [Range<UInt64>] = []
        for part in content.code {
            let (end, isTooLarge) = part.upperBound.addingReportingOverflow(page - 1)
            guard !isTooLarge else { return .other }
            code.append(part.lowerBound / page * page..<end / page * page)
        }
        return .library(code)
    }
}
