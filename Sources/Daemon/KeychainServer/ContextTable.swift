// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The owning process of each authentication context, and the choice of contexts to discard when there are too many.
///
/// When a process has too many, its oldest one is discarded. When a user's contexts together are too many, the oldest
/// one of the process with the most is discarded, so that a process with few contexts loses none to one with many.
struct ContextTable {
    /// A context that was taken from its process.
    struct Displaced {
        let context: Bytes16
        let process: ConnectedProcess
    }

    enum Claim {
        /// The context is the process's, and another one is not any more.
        case granted(displacing: Displaced?)
        /// The context belongs to another process.
        case refused
    }

    private let maximumPerProcess: Int
    private let maximumPerUser: Int
    private var owners: [Bytes16: ConnectedProcess] = [:]
    private var users: [UInt32: ContextsOfUser] = [:]

    init(_ options: ServerOptions) {
        maximumPerProcess = options.maximumContextsPerProcess
        maximumPerUser = options.maximumContextsPerUser
    }

    /// Lets a process use a context, and makes an unowned one its own if it is added.
    mutating func claim(_ context: Bytes16, for process: ConnectedProcess, adding isAdding: Bool) -> Claim {
        if let owner = owners[context] { return owner === process ? .granted(displacing: nil) : .refused }
        guard isAdding else { return .granted(displacing: nil) }
        owners[context] = process
        let user = process.share.user
        users[user, default: ContextsOfUser()].add(context, of: process)
        guard let loser = loser(to: process), let oldest = users[user]?.oldest(of: loser) else {
            return .granted(displacing: nil)
        }
        remove(oldest, of: loser)
        return .granted(displacing: Displaced(context: oldest, process: loser))
    }

    /// The process that has to give up a context for a process's newest one; `nil` if there are not too many.
    private func loser(to process: ConnectedProcess) -> ConnectedProcess? {
        guard let user = users[process.share.user] else { return nil }
        if user.count(of: process) > maximumPerProcess { return process }
        return user.count > maximumPerUser ? user.processWithMaximum(afterClaimOf: process) : nil
    }

    /// Whether a context is one of a process.
    func belongs(_ context: Bytes16, to process: ConnectedProcess) -> Bool { owners[context] === process }

    /// Removes a context of a process; nothing happens if it is not one of that.
    mutating func remove(_ context: Bytes16, of process: ConnectedProcess) {
        guard owners[context] === process else { return }
        owners[context] = nil
        users[process.share.user]?.remove(context, of: process)
        removeUserWithout(process)
    }

    /// Removes the contexts of a process, and returns them.
    mutating func removeAll(of process: ConnectedProcess) -> [Bytes16] {
        let contexts = users[process.share.user]?.removeAll(of: process) ?? []
        for context in contexts { owners[context] = nil }
        removeUserWithout(process)
        return contexts
    }

    private mutating func removeUserWithout(_ process: ConnectedProcess) {
        let user = process.share.user
        if users[user]?.count == 0 { users[user] = nil }
    }
}

/// The authentication contexts of one user's processes.
private struct ContextsOfUser {
    private struct Holder {
        let process: ConnectedProcess
        /// The oldest is the first.
        var contexts: [Bytes16] = []
    }

    private(set) var count = 0
    private var holders: [ObjectIdentifier: Holder] = [:]
    private var ofShare: [ConnectedProcess.Share: Int] = [:]

    func count(of process: ConnectedProcess) -> Int { holders[ObjectIdentifier(process)]?.contexts.count ?? 0 }

    func oldest(of process: ConnectedProcess) -> Bytes16? { holders[ObjectIdentifier(process)]?.contexts.first }

    /// The process with the most contexts, of the sandboxed application or other process with the most.
    ///
    /// A process that has just received a context keeps it; if it has as many as others, it is the one that gives up an
    /// older one.
    func processWithMaximum(afterClaimOf process: ConnectedProcess) -> ConnectedProcess? {
        func rank(_ holder: Holder) -> (Int, Int, Int) {
            (ofShare[holder.process.share, default: 0], holder.contexts.count, holder.process === process ? 1 : 0)
        }
        let able = holders.values.lazy.filter { $0.process !== process || $0.contexts.count > 1 }
        return able.max { rank($0) < rank($1) }?.process
    }

    mutating func add(_ context: Bytes16, of process: ConnectedProcess) {
        holders[ObjectIdentifier(process), default: Holder(process: process)].contexts.append(context)
        ofShare[process.share, default: 0] += 1
        count += 1
    }

    mutating func remove(_ context: Bytes16, of process: ConnectedProcess) {
        let key = ObjectIdentifier(process)
        holders[key]?.contexts.removeAll { $0 == context }
        if holders[key]?.contexts.isEmpty == true { holders[key] = nil }
        ofShare.subtractOne(process.share)
        count -= 1
    }

    mutating func removeAll(of process: ConnectedProcess) -> [Bytes16] {
        guard let holder = holders.removeValue(forKey: ObjectIdentifier(process)) else { return [] }
        for _ in holder.contexts { ofShare.subtractOne(process.share) }
        count -= holder.contexts.count
        return holder.contexts
    }
}
