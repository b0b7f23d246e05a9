// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A descriptor that an option names: one that this program was started with.
///
/// A number that was not open then may be that of a file that this program has opened since, such as the keychain.
package struct GivenDescriptor: Sendable {
    /// What it is for.
    package enum Use: Sendable {
        case reading, writing
    }

    /// Why an option names none.
    package enum Fault: Error, Hashable {
        /// It is no number: perhaps the secret itself, which is not repeated.
        case noNumber
        /// The program was not started with it, or it is open only for the other use.
        case notOpen(Int32, Use)
    }

    private static let missing = Mutex<Set<Int32>>([])

    private let stated: Int32?

    /// The descriptor that the value of an option names.
    package init(argument: String) { stated = Self.number(argument) }

    /// A descriptor that this program itself passes on.
    package init(_ number: Int32) { stated = number }

    /// Its number; the only way to it.
    ///
    /// - Throws: ``Fault`` if this program was not started with it, or it is not open for that.
    package func number(for use: Use) throws(Fault) -> Int32 {
        guard let stated else { throw .noNumber }
        let flags = fcntl(stated, F_GETFL)
        let other = use == .reading ? O_WRONLY : O_RDONLY
        guard flags >= 0, flags & O_ACCMODE != other, !Self.missing.withLock({ $0.contains(stated) }) else {
            throw .notOpen(stated, use)
        }
        return stated
    }

    /// Notes which numbers among the arguments are no open descriptors, before this program opens any.
    package static func recordMissing(in arguments: [String]) {
        let closed = arguments.compactMap { $0.split(separator: "=").last.flatMap { number(String($0)) } }
            .filter { fcntl($0, F_GETFD) < 0 }
        missing.withLock { $0.formUnion(closed) }
    }

    private static func number(_ text: String) -> Int32? { Int32(text).flatMap { $0 >= 0 ? $0 : nil } }
}

extension GivenDescriptor.Fault {
    /// The fault as a sentence without a period.
    ///
    /// - Parameters:
    ///   - option: the name of the option.
    ///   - secret: what somebody may have given instead.
    /// - Returns: The text.
    package func text(of option: String, never secret: String? = nil) -> String {
        switch self {
        case .noNumber:
            "--\(option) takes the number of an open descriptor" + (secret.map { ", never the \($0) itself" } ?? "")
        case .notOpen(let number, .reading):
            "--\(option): descriptor \(number) is not open for reading; a shell opens it by \(number)< FILE"
        case .notOpen(let number, .writing):
            "--\(option): descriptor \(number) is not open for writing; a shell opens it by \(number)> FILE"
        }
    }
}
