// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Why a command failed: its status, and a message.
struct CommandFailure: Error {
    /// The exit status of the command: a status of the Security framework, 1, or 2 for wrong usage.
    var status: Int32

    /// The status that the keychain returned, if that is the cause; the command may return another status.
    private(set) var cause: Status?

    /// Whether the problem is with the whole store, rather than an item or a request.
    private(set) var concernsStore = false

    /// The message without its newline; `nil` for none.
    var message: ByteText?

    init(status: Int32, _ message: ByteText? = nil) {
        self.status = status
        self.message = message
    }

    /// A failure without a status of its own.
    init(_ message: ByteText) { self.init(status: 1, message) }

    /// Wrong usage: the usage of the command is printed.
    static let usage = CommandFailure(status: 2)

    /// Creates a failure for a function's status, as macOS reports it.
    ///
    /// - Parameters:
    ///   - status: the status.
    ///   - function: the corresponding function of macOS.
    ///   - subject: the name of the keychain or file, if the message includes one.
    ///   - detail: the remedy.
    init(_ status: Status, in function: String, about subject: ByteText? = nil, detail: String? = nil) {
        let subject = subject.map { " \($0)" as ByteText } ?? ""
        let detail: ByteText = detail.map { "\nsecurity: \($0)" } ?? ""
        self.init(status: status.rawValue, "security: \(function)\(subject): \(status.text)\(detail)")
        cause = status
    }

    /// Creates a failure for a keychain error; the reason is added if the store itself has a problem.
    init(_ error: KeychainError, in function: String, about subject: ByteText? = nil) {
        self.init(error.status, in: function, about: subject, detail: error.detail)
        concernsStore = error.concernsStore
    }
}

extension KeychainError {
    /// The reason, if the store itself has a problem.
    var detail: String? { concernsStore ? reason : nil }

    /// Whether the problem is with the whole store, rather than an item or a request.
    fileprivate var concernsStore: Bool {
        // A file that may not be written, or even read.
        if status == .writePermission, case .storage = kind { return true }
        // Identifies which of several searched keychains it is.
        if status == .invalidKeychain, case .storage(.damaged) = kind { return true }
        return Status.ofStores.contains(status)
    }
}

extension Status {
    /// The statuses of a store with a problem, regardless of the request.
    fileprivate static let ofStores: Set<Status> = [
        .notAvailable, .readOnly, .io, .diskFull, .internalComponent, .internal,
    ]
}

/// Calls the keychain, and reports an error as that of a function of macOS.
func reporting<Result>(
    _ function: String,
    about subject: ByteText? = nil,
    _ body: () throws(KeychainError) -> Result
) throws(CommandFailure) -> Result {
    do { return try body() } catch { throw CommandFailure(error, in: function, about: subject) }
}

/// Calls the keychain for a command whose only statuses are 0 and 1.
func failing<Result>(
    _ function: String,
    about subject: ByteText? = nil,
    _ body: () throws(KeychainError) -> Result
) throws(CommandFailure) -> Result {
    do throws(KeychainError) { return try body() } catch {
        throw CommandFailure(error, in: function, about: subject).withStatusOne
    }
}

extension CommandFailure {
    /// The same message with status 1.
    var withStatusOne: CommandFailure {
        var failure = self
        failure.status = 1
        return failure
    }
}
