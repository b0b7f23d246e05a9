// SPDX-License-Identifier: Apache-2.0

internal import Logging

/// Writes messages to the log of a category of a subsystem.
///
/// ```swift
/// let logger = Logger(subsystem: "com.example.tool", category: "session")
/// logger.info("signed in as \(user), attempt \(count)")      // signed in as <private>, attempt 2
/// ```
///
/// - Important: Differs from Apple: messages go to swift-log (``OSLog``), and a private value is never shown.
public struct Logger: Sendable {
    private let log: OSLog

    /// Writes to the default log.
    public init() { log = .default }

    /// Creates a logger for a category of a subsystem.
    ///
    /// - Parameters:
    ///   - subsystem: the origin of the messages, usually the bundle identifier of the program: `com.example.tool`.
    ///   - category: a part of it, such as `session`; the empty string for none.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// Writes to a log.
    public init(_ logObj: OSLog) { log = logObj }

    /// Writes a message of the default level.
    public func log(_ message: OSLogMessage) { log.write(.notice) { message.text } }

    /// Writes a message of a level.
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(level.level) { message.text } }

    /// Writes a message of the level `debug`, under another name; `trace` in swift-log.
    public func trace(_ message: OSLogMessage) { log.write(.trace) { message.text } }

    /// Writes a message of the level `debug`.
    public func debug(_ message: OSLogMessage) { log.write(.debug) { message.text } }

    /// Writes a message of the level `info`.
    public func info(_ message: OSLogMessage) { log.write(.info) { message.text } }

    /// Writes a message of the default level.
    public func notice(_ message: OSLogMessage) { log.write(.notice) { message.text } }

    /// Writes a message of the level `error`, under another name; `warning` in swift-log.
    public func warning(_ message: OSLogMessage) { log.write(.warning) { message.text } }

    /// Writes a message of the level `error`.
    public func error(_ message: OSLogMessage) { log.write(.error) { message.text } }

    /// Writes a message of the level `fault`, under another name.
    public func critical(_ message: OSLogMessage) { log.write(.critical) { message.text } }

    /// Writes a message of the level `fault`.
    public func fault(_ message: OSLogMessage) { log.write(.critical) { message.text } }
}
