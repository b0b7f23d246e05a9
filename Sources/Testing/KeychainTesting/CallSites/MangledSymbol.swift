// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Runtime
import Synchronization

/// The symbol of a function.
struct MangledSymbol: Sendable {
    /// As it is mangled.
    let name: String

    /// Whether the function is in the program, and not in a library.
    let isInProgram: Bool

    /// The symbol of the function that contains an address; `nil` if it is unknown.
    ///
    /// Each is looked up once, because a look-up reads the whole symbol table.
    static func at(_ address: UInt64) -> MangledSymbol? {
        if let symbol = known.withLock({ $0[address] }) { return symbol }
        var isInProgram: CInt = 0
        let name = keychain_function_name(UInt(address), &isInProgram)
        let symbol = name.map { MangledSymbol(name: String(cString: $0), isInProgram: isInProgram != 0) }
        known.withLock { $0[address] = .some(symbol) }
        return symbol
    }

    private static let known = Mutex<[UInt64: MangledSymbol?]>([:])

    /// Whether it is a part of an asynchronous function after a suspension, whose callers are not on the stack: it ends
    /// in `TQ` or `TY`, a number and `_` (docs/ABI/Mangling.rst of Swift).
    ///
    /// The part before the first suspension has the function's own name, and is not recognized.
    var isAsynchronousPart: Bool {
        guard name.utf8.last == UInt8(ascii: "_") else { return false }
        let rest = name.utf8.dropLast().reversed().drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let mark = Array(rest.prefix(2))
        return mark.last == UInt8(ascii: "T") && [UInt8(ascii: "Q"), UInt8(ascii: "Y")].contains(mark.first)
    }

    /// Whether the compiler generated it to call another function.
    var isThunk: Bool {
        SymbolicatedBacktrace.Symbol(imageIndex: 0, imageName: "", rawName: name, offset: 0, sourceLocation: nil)
            .isSwiftThunk
    }

    /// Whether it is one of this package.
    var isOfPackage: Bool { PackageSymbols.contains(name) }
}
