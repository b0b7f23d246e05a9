// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Executing commands, whether they came on a socket or from a front.
extension KeychainServer {
    /// Executes a command of a program completely: with every check of it and of the program, the notices to others,
    /// and the program's log, also of a command that is refused.
    ///
    /// - Parameters:
    ///   - command: the command, as the program sent it.
    ///   - call: whose it is.
    /// - Returns: Its reply.
    /// - Throws: ``KeychainError`` with the reason why it was refused or failed.
    func execute(_ command: KeychainCommand, in call: Call) throws(KeychainError) -> KeychainReply {
        let result = Result { () throws(KeychainError) in try executePermitted(command, in: call) }
        call.peer.finished(command, result)
        return try result.get()
    }

    private func executePermitted(
        _ command: KeychainCommand,
        in call: Call
    ) throws(KeychainError) -> KeychainReply {
        let (peer, process) = (call.peer, call.process)
        try command.checkSizes()
        let permitted = try peer.permitted(command)
        // The end of a context needs no room, and discards no other.
        try processes.claim(permitted.contextIdentifiers, for: process, adding: !permitted.has(.endsContext))
        // A command is not executed if the process has become another program.
        if !permitted.has(.changesNothing) { try peer.confirm() }
        let result = Call.$current.withValue(call) {
            Result { () throws(KeychainError) in try peer.perform(permitted, sentAs: command) }
        }
        if let notice = result.notice(of: permitted) { changes.record(notice, by: peer, of: process.share.user) }
        if permitted.has(.releasesContext) {
            for context in permitted.contextIdentifiers { processes.forget(context, of: process) }
        } else {
            processes.releaseDisplaced(permitted.contextIdentifiers, of: process)
        }
        // That a change was made is reported even if the process has changed: the reply carries no data.
        if !permitted.has(.changesNothing), case .success(let reply) = result, reply.isEmptyAnswer { return reply }
        try peer.confirm()
        return try result.get()
    }
}

extension KeychainReply {
    /// Whether it reports only that the command was executed.
    fileprivate var isEmptyAnswer: Bool { self == .done || self == .answer(.nothing) }
}
