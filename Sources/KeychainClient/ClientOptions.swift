// SPDX-License-Identifier: Apache-2.0

/// How patient a client of the daemon is, and how much it asks for at once.
public struct ClientOptions: Sendable, Hashable {
    /// How long the daemon may be silent before it is given up, which says every few seconds that it is working; 15
    /// seconds.
    public var silenceMilliseconds: Int32 = 15_000
    /// How long a daemon that said goodbye, or was there before, may take to come back; 5 seconds.
    public var returnMilliseconds: Int32 = 5_000
    /// How long a prompt that was ended may take to go from the screen, before its thread is left behind; 3 seconds.
    public var promptEndMilliseconds: Int32 = 3_000
    /// How many commands are sent at once, further ones waiting; 8.
    public var mostConnections = 8
    /// How many connections are kept when nothing is sent; 4.
    public var mostIdleConnections = 4
    /// For how long it is remembered whether someone could type something here; a second.
    public var authenticatorMilliseconds: Int32 = 1_000

    /// The options of a program.
    public init() {}
}
