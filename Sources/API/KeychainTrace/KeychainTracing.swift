// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Glibc
package import KeychainCore
import KeychainHost
import KeychainSupport
import Logging
import Synchronization

/// How calls are traced.
package struct TraceOptions: Sendable, Hashable {
    /// The file, by its absolute path.
    package var path: String

    /// Whether values are replaced by a keyed hash.
    package var hidesValues: Bool

    /// How many bytes the file may have before it is renamed to its name and `.1`.
    package var limit: Int

    /// The environment variable that names the file.
    package static let environmentVariable = "SWIFT_KEYCHAIN_TRACE"

    /// The environment variable that hides values, by the value `hashed`.
    package static let valuesVariable = "SWIFT_KEYCHAIN_TRACE_VALUES"

    /// Options; the default shows values, and keeps 16 MiB, and as much of the file before.
    package init(path: String, hidesValues: Bool = false, limit: Int = 16 << 20) {
        self.path = path
        self.hidesValues = hidesValues
        self.limit = limit
    }
}

/// Whether the calls of this process are written to a file (Documentation/Trace.md).
package enum KeychainTracing {
    /// Writes every call from now on to a file, replacing an earlier one.
    ///
    /// - Throws: ``TraceError/unusable(path:_:)`` if the path is not absolute, or leads to anything but a file of this
    ///   user alone.
    package static func start(_ options: TraceOptions) throws(TraceError) {
        guard options.path.isAbsolutePath else { throw .unusable(path: options.path, "it is not an absolute path") }
        let file = TraceFile(path: options.path, limit: max(1, options.limit))
        try file.make()
        let tracer = Tracer(file, hashKey: options.hidesValues ? try file.hashKey() : nil)
        state.withLock { $0 = .on(tracer) }
        CSupport.setTraced(1)
    }

    /// Ends the trace.
    package static func stop() {
        state.withLock { $0 = .off }
        CSupport.setTraced(0)
    }

    /// Whether a call may have to be traced: a single memory access if tracing is off.
    @inline(__always)
    package static var isWanted: Bool { CSupport.isTraced() != 0 }

    /// The object that writes calls; `nil` if tracing is off.
    ///
    /// The environment is checked once, at the first call.
    package static var tracer: Tracer? {
        if let known = state.withLock(\.tracer) { return known }
        guard state.withLock(\.isUnknown) else { return nil }
        return startAsEnvironmentSays()
    }

    private static func startAsEnvironmentSays() -> Tracer? {
        do {
            if let path = try ProcessEnvironment.path(TraceOptions.environmentVariable) {
                let hidesValues = try hidesValues(ProcessEnvironment.value(TraceOptions.valuesVariable))
                try start(TraceOptions(path: path, hidesValues: hidesValues))
                return state.withLock(\.tracer)
            }
        } catch {
            // If values have to be hidden and cannot be, nothing is traced.
            Logger(label: "swift-keychain").warning("\(TraceOptions.environmentVariable): \(error)")
        }
        stop()
        return nil
    }

    private static func hidesValues(_ value: String?) throws(TraceError) -> Bool {
        switch value {
        case nil, "shown": false
        case "hashed": true
        default: throw .unusable(path: TraceOptions.valuesVariable, "it is neither shown nor hashed")
        }
    }

    private enum State {
        case unknown
        case off
        case on(Tracer)

        var tracer: Tracer? { if case .on(let tracer) = self { tracer } else { nil } }

        var isUnknown: Bool { if case .unknown = self { true } else { false } }
    }

    private static let state = Mutex(State.unknown)
}

/// Writes calls to a file.
package final class Tracer: Sendable {
    private let file: TraceFile
    private let encoder: TraceEncoder
    private let program: String

    fileprivate init(_ file: TraceFile, hashKey: SymmetricKey?) {
        self.file = file
        encoder = TraceEncoder(hashKey: hashKey)
        let path = CommandLine.arguments.first ?? ""
        program = path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Writes a call down that began at a time.
    package func record(_ call: TracedCall, at time: Timestamp) {
        file.append(TraceEntry(time: time, process: getpid(), program: program, .call(call)).line(encoder))
    }

    /// The return addresses of the calls that led here, as `IMAGE+0xOFFSET`.
    package static func stack() -> [String] {
        var addresses = [UInt](repeating: 0, count: maximumAddresses)
        let count = addresses.withUnsafeMutableBufferPointer { CSupport.returnAddresses($0.baseAddress, $0.count) }
        return addresses.prefix(Int(count)).compactMap { ProgramAddress($0)?.description }
    }

    private static let maximumAddresses = 24
}
