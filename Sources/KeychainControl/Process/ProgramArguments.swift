// SPDX-License-Identifier: Apache-2.0

/// The arguments that this program was started with.
enum ProgramArguments {
    /// Whether every one of them is UTF-8: as a string another one would be another path.
    static func areUTF8(_ arguments: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>) -> Bool {
        arguments.allSatisfy { argument in argument.map { String(validatingCString: $0) != nil } ?? true }
    }
}
