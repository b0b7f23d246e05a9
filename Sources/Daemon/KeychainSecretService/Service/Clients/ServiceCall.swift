// SPDX-License-Identifier: Apache-2.0

import KeychainServer
import MessageBus

/// A call that is not answered yet; for the thread of the bus.
final class ServiceCall {
    let number: UInt64
    /// Without its arguments once they were read.
    var message: BusMessage
    let client: ServiceClient

    /// Counts what was read of it as the program's.
    var held: HeldBytes?

    /// Its answer, once that is known.
    var reply: UnreadReply?

    init(_ message: consuming BusMessage, number: UInt64, of client: ServiceClient) {
        self.message = message
        self.number = number
        self.client = client
    }
}
