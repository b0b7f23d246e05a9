// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import SecurityTool

/// A line of the interactive mode of `security`: into words, a command, its options, and what may be shown of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let words = LineSplitter.words(of: SecretBytes(copying: bytes))
    precondition(words.reduce(0) { $0 + $1.count } <= count, "a line has no more bytes than its words")
    let all = [Word("security")] + words
    let options = GlobalOptions(all)
    precondition((1...all.count).contains(options.commandIndex), "a command begins after the name of the program")
    guard options.commandIndex < all.count, let entry = CommandTable.entry(matching: all[options.commandIndex]) else {
        return 0
    }
    let arguments = Array(all[(options.commandIndex + 1)...])
    let parsed = ParsedOptions(arguments, entry.options)
    precondition(parsed.operands.count <= arguments.count, "operands are words")
    precondition(SecretArguments.masked(arguments, entry.options).count == arguments.count, "a word stays a word")
    for place in SecretArguments.places(in: arguments, from: 0, entry.options) {
        precondition(
            place.word < arguments.count && place.offset <= arguments[place.word].count,
            "a secret is in a word"
        )
    }
    return 0
}
