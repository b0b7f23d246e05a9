// SPDX-License-Identifier: Apache-2.0

/// The options before the command.
struct GlobalOptions {
    var asksForHelp = false
    var asksForVersion = false
    /// Whether a shell asks what may follow on a command line; see ``ValueCompletion``.
    var asksForCompletion = false
    var isInteractive = false
    var isQuiet = false
    var isVerbose = false
    var readsPasswordsFromInput = false
    var prompt: ByteText?

    /// An invalid option; the others are then ignored.
    private(set) var problem: ParsedOptions.Problem?

    /// The index of the command.
    private(set) var commandIndex: Int

    /// `l` and `R` have no effect here: there are no leaks to report, and no recovery system.
    static let syntax: OptionSyntax = "hilp:qvRS"

    /// Reads the options.
    ///
    /// - Parameter words: all words, the name of the program first.
    init(_ words: [Word]) {
        commandIndex = words.count
        // The long options; macOS has none.
        asksForVersion = words.count == 2 && words[1] == "--version"
        asksForCompletion = words.count == 2 && words[1] == "--complete"
        if asksForVersion || asksForCompletion { return }
        var reader = GetOpt(words, from: 1, Self.syntax)
        while let event = reader.next() {
            switch event {
            case .option(let letter, let place):
                parse(letter, place.map { words[$0.word].dropFirst($0.offset) } ?? Word(""))
            case .illegal(let letter): problem = .illegal(letter)
            case .missingValue(let letter): problem = .missingValue(letter)
            }
            if problem != nil { return }
        }
        commandIndex = min(reader.index, words.count)
    }

    private mutating func parse(_ letter: UInt8, _ value: Word) {
        switch letter {
        case UInt8(ascii: "h"): asksForHelp = true
        case UInt8(ascii: "i"): isInteractive = true
        case UInt8(ascii: "q"): isQuiet = true
        case UInt8(ascii: "v"): isVerbose = true
        case UInt8(ascii: "S"): readsPasswordsFromInput = true
        case UInt8(ascii: "p"):
            prompt = "\(value)"
            isInteractive = true
        default: break
        }
    }

    /// The usage, printed if there is no command.
    static let usage: ByteText = """
        Usage: security [-h] [-i] [-l] [-p prompt] [-q] [-v] [command] [opt ...]
            -h    List the commands, or show the usage of those that are named.
            -i    Read commands from standard input, one a line.
            -l    Accepted; does nothing here.
            -p    Set the prompt, and read commands as with -i.
            -q    Leave remarks out.
            -v    Repeat each command on standard error; secrets are not shown.
            -S    Read passwords from standard input, one a line, each once and without a prompt
                  (not part of macOS).
            --version
                  Print the version (not part of macOS).
        security commands are:

        """
}
