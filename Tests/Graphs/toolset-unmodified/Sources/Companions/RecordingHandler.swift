// SPDX-License-Identifier: Apache-2.0

import Logging

/// Keeps what was logged; a conformance of this program to a protocol of its own copy of swift-log.
public final class RecordingHandler: LogHandler, @unchecked Sendable {
    /// The messages so far.
    public private(set) var messages: [String] = []

    /// See `LogHandler`.
    public var logLevel = Logger.Level.trace

    /// See `LogHandler`.
    public var metadata: Logger.Metadata = [:]

    /// A handler without messages.
    public init() {}

    /// See `LogHandler`.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// See `LogHandler`.
    public func log(event: LogEvent) { messages.append(event.message.description) }
}
