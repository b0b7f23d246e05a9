// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer

/// A connection of the bus that has called the service, by its unique name, which the bus gives to no other one later;
/// for the thread of the bus.
final class ServiceClient {
    let name: String

    /// A number that no other client has.
    let number: UInt64

    /// Its collections; `nil` until it is identified.
    var store: ProgramStore?

    /// The calls that wait until it is.
    var waiting: [UInt64] = []

    /// Its process, for the limits of the threads that work for it; 0 until the bus has said it.
    var process: Int32 = 0

    /// How many of its calls are not answered yet.
    var callCount = 0

    /// Its answers that it may not have read yet, in their order.
    var unread: [UnreadReply] = []

    /// Whether the bus was asked how many of them.
    var isUnreadAsked = false

    /// What it has read, and so may keep.
    var told = ToldObjects()

    /// Its sessions, by the last elements of their paths.
    var sessions: [Bytes16: SecretCoding] = [:]

    /// Its prompts.
    var prompts: [Bytes16: OpenPrompt] = [:]

    init(_ name: String, number: UInt64) {
        self.name = name
        self.number = number
    }
}
