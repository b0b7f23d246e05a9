// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

import Glibc
internal import Logging
internal import Synchronization

/// How important a message is.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// Apple's number of the level.
    public let rawValue: UInt8

    /// The level of a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The level of a number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// Noteworthy events; `notice` in swift-log.
    public static let `default` = OSLogType(0x00)

    /// Helpful but not essential information; `info` in swift-log.
    public static let info = OSLogType(0x01)

    /// Information for development; `debug` in swift-log.
    public static let debug = OSLogType(0x02)

    /// Errors in this process; `error` in swift-log.
    public static let error = OSLogType(0x10)

    /// Errors that are bugs, here or in another process; `critical` in swift-log.
    public static let fault = OSLogType(0x11)
}

/// The destination of messages, identified by a subsystem and a category.
///
/// Messages go to swift-log: to the handler that a program sets up with `LoggingSystem.bootstrap` before its first
/// message, else to standard error, from level `info`. `SWIFT_KEYCHAIN_LOG_LEVEL` sets another minimum level.
public final class OSLog: Sendable {
    /// A category with a meaning of its own on Apple's platforms.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// The category of a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Signposts of points of interest.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")

        /// Signposts that may be switched on later.
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
    }

    /// The log of a program that names none.
    public static let `default` = OSLog(subsystem: "default", category: "")

    /// A log that writes nothing.
    public static let disabled = OSLog { nil }

    // Made at the first message, so that a program can set swift-log up before.
    private let logger = Mutex<Logging.Logger?>(nil)
    private let make: @Sendable () -> Logging.Logger?

    /// The log of a category of a subsystem, which is usually named by a bundle identifier.
    public convenience init(subsystem: String, category: String) {
        self.init {
            var logger = Logging.Logger(label: subsystem)
            if !category.isEmpty { logger[metadataKey: "category"] = .string(category) }
            if let level = Self.level { logger.logLevel = level }
            return logger
        }
    }

    /// The log of a category of a subsystem.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue)
    }

    init(_ make: @escaping @Sendable () -> Logging.Logger?) { self.make = make }

    /// Whether messages of a level are written.
    public func isEnabled(type: OSLogType) -> Bool {
        current.map { $0.logLevel <= type.level } ?? false
    }

    /// False: signposts are for Apple's Instruments.
    public var signpostsEnabled: Bool { false }

    /// Writes a message, which is looked at only if its level is written.
    func write(_ level: Logging.Logger.Level, _ text: () -> String) {
        current?.log(level: level, "\(text())", source: "os")
    }

    private var current: Logging.Logger? {
        logger.withLock { logger in
            if logger == nil { logger = make() }
            return logger
        }
    }

    private static let level = getenv("SWIFT_KEYCHAIN_LOG_LEVEL").flatMap {
        Logging.Logger.Level(rawValue: String(cString: $0))
    }
}

/// A log.
public typealias os_log_t = OSLog

extension OSLogType {
    /// The level of swift-log; numbers without a name are as the default.
    var level: Logging.Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .error: .error
        case .fault: .critical
        default: .notice
        }
    }
}
