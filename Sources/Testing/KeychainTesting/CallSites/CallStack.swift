// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainTrace
import Runtime
import Synchronization

/// The stack of a call, captured on the caller's thread.
///
/// Function names are available immediately; lines are looked up later on another thread, because the first look-up
/// takes seconds.
struct CallStack: Sendable {
    /// Identifies a stack.
    let addresses: [UInt64]

    /// The functions on it.
    let functions: CalledFunctions

    /// The addresses of the program's functions, beginning with the nearest caller.
    ///
    /// The whole stack if none of its functions is known.
    var callerAddresses: [UInt64] {
        let indices = functions.callerIndices
        return indices.isEmpty ? addresses : indices.map { addresses[$0] }
    }

    /// The stack of the caller: the callers on the stack of the thread, and those of an asynchronous function.
    @inline(never)
    static func capture() -> CallStack {
        var frames: [UInt] = []
        let callers = [UInt](unsafeUninitializedCapacity: maximum) { callers, count in
            frames = [UInt](unsafeUninitializedCapacity: maximum) { frames, frameCount in
                count = keychain_unwind_stack(callers.baseAddress, frames.baseAddress, maximum)
                frameCount = count
            }
        }
        // A position within the call: the return address is after it, and may belong to another line.
        var addresses = callers.map { UInt64($0) - 1 }
        // Frames beyond an asynchronous function are not its callers.
        if let index = addresses.firstIndex(where: { MangledSymbol.at($0)?.isAsynchronousPart ?? false }) {
            addresses = addresses[...index] + continuations(of: frames[index])
        }
        let functions = known.withLock { $0[addresses] } ?? CalledFunctions(addresses)
        known.withLock { $0[addresses] = functions }
        return CallStack(addresses: addresses, functions: functions)
    }

    private static let known = Mutex<[[UInt64]: CalledFunctions]>([:])
    private static let maximum = 64

    /// How many callers are tried: the compiler records no line for some, such as for the argument of an assertion.
    private static let candidates = 3

    /// The addresses where the callers of an asynchronous function continue.
    private static func continuations(of frame: UInt) -> [UInt64] {
        [UInt](unsafeUninitializedCapacity: maximum) { $1 = keychain_async_callers(frame, $0.baseAddress, maximum) }
            .map(UInt64.init)
    }

    /// The line of the nearest caller outside of this package.
    func findLocation() -> CallLocation? {
        var location: CallLocation?
        Self.findLocations(of: [self]) { location = $1 }
        return location
    }

    /// Finds the lines of the nearest callers outside of this package, and passes each with the stack's position.
    ///
    /// This takes up to several seconds if no tool reads debug information. There is no line in a program without debug
    /// information, and if the compiler recorded none.
    static func findLocations(of stacks: [CallStack], _ found: (Int, CallLocation?) -> Void) {
        let callers = stacks.map { stack in
            stack.functions.callerIndices.prefix(candidates).map { stack.addresses[$0] }
        }
        let places = Dictionary(
            callers.joined().compactMap { caller in ProgramAddress(UInt(caller)).map { (caller, $0) } },
            uniquingKeysWith: { first, _ in first }
        )
        let frames = Symbolizer.frames(at: Array(places.values))
        for (index, callers) in callers.enumerated() {
            let locations = callers.lazy.compactMap { caller in
                location(in: places[caller].flatMap { frames[$0] } ?? framesByRuntime(at: caller))
            }
            found(index, locations.first)
        }
    }

    private static func location(in frames: [Symbolizer.Frame]) -> CallLocation? {
        frames.first { !$0.isOfPackage && !$0.isGenerated && !PackageSymbols.contains($0.symbol) }
            .map { CallLocation(path: $0.path, line: $0.line, column: $0.column) }
    }

    /// The functions at an address by Swift's runtime library, which reads the lines of the whole program.
    private static func framesByRuntime(at address: UInt64) -> [Symbolizer.Frame] {
        let backtrace = Backtrace(programCounter: address)?.symbolicated(with: images)
        return backtrace?.frames.compactMap { $0.symbol.flatMap(Symbolizer.Frame.init) } ?? []
    }

    /// The images mapped when the program starts; libraries loaded later are not expected to call the keychain.
    ///
    /// Creating such a map reads all mapped libraries, and crashes if another thread unloads one meanwhile.
    static let images = ImageMap.capture()
}

/// The functions of a call.
struct CalledFunctions: Sendable {
    /// The function of this package that was called, such as `SecItemAdd`.
    private(set) var called: String?

    /// Its caller.
    private(set) var caller: String?
    private(set) var callerAddress: UInt64?

    /// The caller's position in the stack, and its own callers in the program.
    private(set) var callerIndices: [Int] = []

    /// The program's functions on the stack, demangled.
    private(set) var stack: [String] = []

    /// The paths of the same functions, as ``FunctionName/path`` has them.
    private(set) var paths: [String] = []

    /// The functions by their demangled names.
    init(stack: [String]) {
        self.stack = stack
        paths = stack.map { FunctionName(demangled: $0).path }
    }

    /// The functions that contain the addresses: those of this package, up to its nearest caller, and those of the
    /// program.
    init(_ addresses: [UInt64]) {
        for (index, address) in addresses.enumerated() {
            guard let symbol = MangledSymbol.at(address) else { continue }
            let isOurs = symbol.isOfPackage
            guard isOurs || symbol.isInProgram, !symbol.isThunk else { continue }
            // The full name: the name of a symbol omits modules.
            let demangled = Self.demangled(symbol.name)
            let function = FunctionName(demangled: demangled)
            if isOurs {
                if caller == nil { called = function.called }
            } else if !function.isOfSystem {
                if caller == nil { (caller, callerAddress) = (function.description, address) }
                callerIndices.append(index)
                stack.append(demangled)
                paths.append(function.path)
            }
        }
    }

    /// The name as source code has it; the same for one that is not Swift's.
    static func demangled(_ name: String) -> String {
        guard let text = demangle(name, UInt(name.utf8.count), nil, nil, 0) else { return name }
        defer { free(text) }
        return String(cString: text)
    }
}

extension Symbolizer.Frame {
    /// `nil` for a function without a line.
    fileprivate init?(_ symbol: SymbolicatedBacktrace.Symbol) {
        guard let found = symbol.sourceLocation, found.line > 0, found.path.hasPrefix("/") else { return nil }
        self.init(symbol: symbol.rawName, path: found.path, line: found.line, column: found.column)
    }
}

/// Declared by Swift's runtime library: returns text that the caller frees, or `nil` if it is not a Swift name.
@_silgen_name("swift_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>,
    _ length: UInt,
    _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<UInt>?,
    _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// Whether something belongs to this package.
enum PackageSymbols {
    static func contains(_ rawName: String) -> Bool { prefixes.contains { rawName.hasPrefix($0) } }

    /// The prefixes of the symbols of this package's modules, for frames without a line.
    private static let prefixes =
        [
            "KeychainServices", "PortableSecurity", "Security", "LocalAuthenticationServices",
            "PortableLocalAuthentication", "LocalAuthentication",
            "CryptoKit", "Keychain", "KeychainRecipes", "KeychainSimulation", "KeychainTesting", "KeychainCore",
            "KeychainEngine",
        ].flatMap { name in ["$s\(name.utf8.count)\(name)"] } + ["keychain_", "swift_keychain_"]
}
