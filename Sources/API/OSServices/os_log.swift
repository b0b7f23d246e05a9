// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import Logging

/// Writes a message in the format of `printf(3)`, with `%@` for any value, to a log.
///
/// Numbers are written; texts and objects are not, unless the format requests it: `%{public}@`.
public func os_log(
    _ message: StaticString,
    dso: UnsafeRawPointer? = nil,
    log: OSLog = .default,
    type: OSLogType = .default,
    _ args: Any...
) {
    log.write(type.level) { FormatString(message.description, args).text }
}

/// Writes a message of a level in the format of `printf(3)`, with `%@` for any value, to a log.
public func os_log(
    _ type: OSLogType,
    dso: UnsafeRawPointer? = nil,
    log: OSLog = .default,
    _ message: StaticString,
    _ args: Any...
) {
    log.write(type.level) { FormatString(message.description, args).text }
}

/// Writes a message to the default log.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(.notice) { message.text } }

/// Writes a message of a level to a log.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(type.level) { message.text }
}
