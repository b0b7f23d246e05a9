// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Why a command fails: its status, and a line for people.
struct CommandFailure: Error {
    /// What the command returns: a status of the Security framework, 1, or 2 for wrong usage.
    var status: Int32

    /// What the keychain answered, where that is why; the command may return another status.
    private(set) var cause: Status?

    /// Whether the whole store is in trouble, rather than an item or a request.
    private(set) var concernsStore = false

    /// The line without its newline; `nil` when nothing is to be said.
    var message: ByteText?

    init(status: Int32, _ message: ByteText? = nil) {
        self.status = status
        self.message = message
    }

    /// A failure without a status of its own.
    init(_ message: ByteText) { self.init(status: 1, message) }

    /// Wrong usage: the usage of the command is printed.
    static let usage = CommandFailure(status: 2)

    /// A status of a function, as macOS reports it.
    ///
    /// - Parameters:
    ///   - status: what went wrong.
    ///   - function: the function of macOS that does the same.
    ///   - subject: the name of the keychain or file, where the message has one.
    ///   - detail: what the user can do about it.
    init(_ status: Status, _ function: String, _ subject: ByteText? = nil, detail: String? = nil) {
        let subject = subject.map { " \($0)" as ByteText } ?? ""
        let detail: ByteText = detail.map { "\nsecurity: \($0)" } ?? ""
        self.init(status: status.rawValue, "security: \(function)\(subject): \(status.text)\(detail)")
        cause = status
    }

    /// An error of the keychain; the reason is added when the store itself is in trouble.
    init(_ error: KeychainError, _ function: String, _ subject: ByteText? = nil) {
        self.init(error.status, function, subject, detail: error.detail)
        concernsStore = error.concernsStore
    }
}

extension KeychainError {
    /// The reason, where the store itself is in trouble.
    var detail: String? { concernsStore ? reason : nil }

    /// Whether the whole store is in trouble, rather than an item or a request.
    fileprivate var concernsStore: Bool {
        // A file that may not be written, or not even be read.
        if status == .writePermission, case .storage = kind { return true }
        // Of several that were searched, which one.
        if status == .invalidKeychain, case .storage(.damaged) = kind { return true }
        return Status.ofStores.contains(status)
    }
}

extension Status {
    /// What a store that is in trouble as a whole answers, whatever it is asked for.
    fileprivate static let ofStores: Set<Status> = [
        .notAvailable, .readOnly, .io, .diskFull, .internalComponent, .internal,
    ]
}

/// Calls the keychain, and reports an error as that of a function of macOS.
func reporting<Result>(
    _ function: String,
    _ subject: ByteText? = nil,
    _ body: () throws(KeychainError) -> Result
) throws(CommandFailure) -> Result {
    do { return try body() } catch { throw CommandFailure(error, function, subject) }
}

/// Calls the keychain for a command that has no other status than 0 and 1.
func failing<Result>(
    _ function: String,
    _ subject: ByteText? = nil,
    _ body: () throws(KeychainError) -> Result
) throws(CommandFailure) -> Result {
    do throws(KeychainError) { return try body() } catch {
        throw CommandFailure(error, function, subject).withStatusOne
    }
}

extension CommandFailure {
    /// The same message, from a command that has no other status.
    var withStatusOne: CommandFailure {
        var failure = self
        failure.status = 1
        return failure
    }
}
