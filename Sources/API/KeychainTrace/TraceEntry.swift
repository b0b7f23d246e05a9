// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// One line of a trace (Documentation/Trace.md): a call of an item function, or an event of the device or a client.
package struct TraceEntry: Sendable, Hashable {
    /// When it began.
    package var time: Timestamp
    /// The process.
    package var process: Int32
    /// The name of its executable.
    package var program: String
    /// The call or event.
    package var content: Content

    /// The content of a line.
    package enum Content: Sendable, Hashable {
        /// A call.
        case call(TracedCall)
        /// An event, not a call.
        case event(TracedEvent)
    }

    /// The version of the format.
    package static let version = 1

    /// A line.
    package init(time: Timestamp, process: Int32, program: String, _ content: Content) {
        self.time = time
        self.process = process
        self.program = program
        self.content = content
    }
}

/// A call that was traced.
package struct TracedCall: Sendable, Hashable {
    /// The request; in a trace that was read, secrets are zeros, at most 4,096, and hidden values are missing.
    package var operation: KeychainRequest.Operation
    /// The client.
    package var client: Client
    /// The name of the client; `nil` for the one of the process.
    package var clientName: String?
    /// The lock state at the beginning; `nil` if unknown.
    package var lockState: LockState?
    /// The returned status.
    package var status: Status
    /// Why it failed, in words without values.
    package var reason: String?
    /// How long it took, in milliseconds.
    package var milliseconds: Double
    /// The return addresses, as `IMAGE+0xOFFSET`, from the inside out.
    package var stack: [String]
    /// Keys of the query whose values are not in ``operation``, because they were hidden.
    package var hiddenKeys: Set<String>
    /// Those of the new attributes of an update, and of what a set adds.
    package var hiddenAttributeKeys: Set<String> = []

    /// A call.
    package init(
        _ operation: KeychainRequest.Operation,
        client: Client,
        clientName: String? = nil,
        lockState: LockState?,
        status: Status,
        reason: String? = nil,
        milliseconds: Double,
        stack: [String] = [],
        hiddenKeys: Set<String> = []
    ) {
        self.operation = operation
        self.client = client
        self.clientName = clientName
        self.lockState = lockState
        self.status = status
        self.reason = reason
        self.milliseconds = milliseconds
        self.stack = stack
        self.hiddenKeys = hiddenKeys
    }
}

/// Something that happened to the device or a client.
package enum TracedEvent: Sendable, Hashable {
    /// The device was locked.
    case lock
    /// The device was unlocked.
    case unlock
    /// The device was rebooted.
    case reboot
    /// A passcode was set.
    case setPasscode
    /// The passcode was removed.
    case removePasscode
    /// Other biometry is enrolled: its kind, and the number of the set.
    case setBiometry(kind: String, set: Int)
    /// The store went to a new device by a backup.
    case restore
    /// A client got another list of access groups.
    case setGroups(client: String?, [String])
    /// A program was removed and installed again.
    case reinstall(client: String?)
}
