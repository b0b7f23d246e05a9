// SPDX-License-Identifier: Apache-2.0

import KeychainHost
import MessageBus

/// What programs have not read yet of their answers: it waits in the memory of the daemon, and then of the bus, which
/// reads nothing more of the daemon once that is much.
extension SecretService {
    /// A question to the bus how much of its answers a client has not read.
    struct UnreadQuestion {
        let client: String
        let number: UInt64
        /// How many answers had been sent to it by then.
        let replyCount: Int
    }

    private static let pauseMilliseconds: Int32 = 100

    /// Counts an answer as unread until the bus says otherwise.
    func note(_ reply: UnreadReply, sentTo client: ServiceClient) {
        client.unread.append(reply)
        askWhatIsUnread(by: client.process)
    }

    /// Asks the bus what the connections of a process have not read, if that may be much.
    private func askWhatIsUnread(by process: Int32) {
        guard hasMuchUnread(process) else { return }
        for client in clients.values where client.process == process && !client.unread.isEmpty {
            guard !client.isUnreadAsked else { continue }
            do throws(BusError) {
                let question = try bus.driverCall("GetConnectionStats", of: "\(Bus.driver).Debug.Stats")
                try question.append(client.name)
                unreadQuestions[try bus.sendCall(question)] = UnreadQuestion(
                    client: client.name,
                    number: client.number,
                    replyCount: client.unread.count
                )
                client.isUnreadAsked = true
            } catch {
                // The connection to the bus is at its end.
            }
        }
    }

    private func hasMuchUnread(_ process: Int32) -> Bool {
        surroundings.work.unread(by: process) > surroundings.options.limits.unreadBytes.inTurn
    }

    /// Learns what a client has not read; whether the answer is to such a question.
    ///
    /// The bus has taken everything that was sent before the question. One that does not say more ends connections that
    /// do not read, as our own and dbus-broker do.
    func receiveUnread(_ reply: borrowing BusMessage, _ number: UInt64) -> Bool {
        guard let question = unreadQuestions.removeValue(forKey: number) else { return false }
        guard let client = client(question.client, question.number) else { return true }
        client.isUnreadAsked = false
        let left = reply.isError ? 0 : Int(reply.outgoingBytes ?? 0)
        var counted = client.unread.prefix(question.replyCount).reduce(0) { $0 + $1.byteCount }
        let read = client.unread.prefix(question.replyCount).prefix { answer in
            counted -= answer.byteCount
            return counted >= left
        }
        let hasRead = !read.isEmpty
        client.unread.removeFirst(read.count)
        if hasRead { askWhatIsUnread(by: client.process) }
        if !client.unread.isEmpty, !client.isUnreadAsked, hasMuchUnread(client.process), nextUnreadQuestion == nil {
            nextUnreadQuestion = Deadline(milliseconds: Self.pauseMilliseconds)
        }
        return true
    }

    /// Asks again what clients have not read that had read nothing.
    func askAgainWhatIsUnread() {
        guard nextUnreadQuestion?.isOver ?? false else { return }
        nextUnreadQuestion = nil
        for process in Set(clients.values.filter { !$0.unread.isEmpty }.map(\.process)) {
            askWhatIsUnread(by: process)
        }
    }
}

extension BusMessage {
    /// How many bytes of messages for a connection wait on dbus-daemon (its interface `Debug.Stats`).
    fileprivate var outgoingBytes: UInt32? {
        guard enter("a", "{sv}") else { return nil }
        while enter("e", "sv") {
            if string() == "OutgoingBytes", enter("v", "u") { return uint32() }
            guard skip("v") else { return nil }
            leave()
        }
        return nil
    }
}
