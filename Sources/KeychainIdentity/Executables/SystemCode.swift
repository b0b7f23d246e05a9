// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Which of the files that only root can change execute whatever they are given: the libraries of interpreters, and
/// other programs.
///
/// A process that has loaded one of them need not do what its executable says. What was found of a file is kept for as
/// long as it is unchanged.
final class SystemCode: Sendable {
    private let known = Mutex<[Key: Kind]>([:])

    private struct Key: Hashable {
        let path: String
        let mark: FileMark
    }

    private enum Kind {
        case library
        case interpreter
        case program

        var objection: String? {
            switch self {
            case .library: nil
            case .interpreter: "is an interpreter"
            case .program: "is another program"
            }
        }
    }

    /// The number of files after which all of them are forgotten.
    private static let capacity = 4096

    /// Why a program may not have loaded a file that only root can change.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - path: its path, whose last part tells interpreters.
    /// - Returns: The rest of a sentence about the file; `nil` if it may have loaded it.
    func objection(to file: borrowing Descriptor, _ path: String) -> String? {
        guard let status = file.status else { return nil }
        let key = Key(path: path, mark: FileMark(status))
        if let kind = known.withLock({ $0[key] }) { return kind.objection }
        let kind = Self.kind(of: file, path)
        known.withLock { known in
            if known.count >= Self.capacity { known = [:] }
            known[key] = kind
        }
        return kind.objection
    }

    private static func kind(of file: borrowing Descriptor, _ path: String) -> Kind {
        let name = String(path.split(separator: "/").last ?? "")
        if InterpreterNames.isInterpreterLibrary(name) { return .interpreter }
        // Linkers have marked programs whose addresses are not fixed since about 2016 only.
        if InterpreterNames.isInterpreter(name), !InterpreterNames.isLoader(name) { return .interpreter }
        return ELFFile { file.contents(at: $0, count: $1) }?.isProgram == true ? .program : .library
    }
}
