// SPDX-License-Identifier: Apache-2.0

/// The message bus on which the service is offered.
package enum SecretServiceBus: Sendable {
    /// That of the user's session, which `DBUS_SESSION_BUS_ADDRESS` may name.
    case session
    /// Another one, by its address (D-Bus Specification, "Server Addresses").
    case address(String)
    /// One at the other end of a socket, which a closure connects: the front closes it. `nil` if there is none now.
    case socket(@Sendable () -> Int32?)
}

/// Whether programs of a bus are served.
package enum SecretServiceState: Sendable, Hashable {
    /// Not connected yet.
    case starting
    /// The service has its name on the bus.
    case serving
    /// Another program has the name, described in words; the service gets it afterwards.
    case waiting(String)
    /// There is no bus, or it does not respond; the reason in words.
    case noBus(String)
}

/// What the service needs besides the bus.
package struct SecretServiceOptions: Sendable {
    /// Asks a person to unlock something; `nil` where nobody can be asked: such prompts count as dismissed.
    package var prompter: UnlockPrompter?

    /// The keychain files that are collections; `nil` for none.
    package var files: FileCollections?

    /// What the portal for secrets may do for sandboxed programs; `nil` for no portal.
    package var portal: (any PortalAdmission)?

    /// The most of everything that clients can have.
    package var limits = SecretServiceLimits()

    /// Called when the state has changed, on the thread of the bus.
    package var stateChanged: @Sendable (SecretServiceState) -> Void = { _ in }

    /// Nobody can be asked.
    package init() {}
}

/// The most of everything that clients can have: beyond it a call fails with an error, and others are served.
package struct SecretServiceLimits: Sendable {
    /// Sessions of all, of a process, and of one connection.
    package var sessions = (total: 8_192, ofProcess: 1_024, ofConnection: 256)
    /// Open prompts of all, of a process, and of one connection.
    package var prompts = (total: 1_024, ofProcess: 64, ofConnection: 32)
    /// Calls that are not answered yet, of all and of one connection: a program may ask for all items at once.
    package var calls = (total: 65_536, ofConnection: 16_384)
    /// Those of a connection before it is identified: the memory of their arguments counts as nobody's until then.
    package var callsBeforeIdentification = 32
    /// Connections that are known.
    package var connections = 4_096
    /// Threads that execute commands, and of them those of one process.
    package var threads = (total: 24, ofProcess: 4)
    /// Bytes of answers that a process has not read yet.
    ///
    /// With more than `inTurn`, one of its commands is executed at a time; with more than `waiting`, none before it has
    /// read; with more than `unanswered`, it gets no refusals either. While all processes together have more than
    /// `ofAll`, those with any have nothing executed, the others one command at a time, and large answers are refused.
    package var unreadBytes = (inTurn: 1 << 20, waiting: 8 << 20, unanswered: 192 << 20, ofAll: 128 << 20)

    /// The usual ones.
    package init() {}
}
