// SPDX-License-Identifier: Apache-2.0

/// What a shell completes of the command line of `security`: the names of commands, and files after them.
package enum ShellCompletion: String {
    case bash, zsh, fish

    /// The script, which the shell reads.
    package var script: String {
        let entries = CommandTable.entries.filter { $0.remark == nil }
        switch self {
        case .bash:
            return """
                # bash completion for security
                _swift_keychain_security() {
                    if [ "$COMP_CWORD" -eq 1 ]; then
                        COMPREPLY=($(compgen -W "\(entries.map(\.name).joined(separator: " "))" -- "$2"))
                    else
                        COMPREPLY=($(compgen -f -- "$2"))
                    fi
                }
                complete -o filenames -F _swift_keychain_security security

                """
        case .zsh:
            let names = entries.map { "    '\($0.name):\(Self.quoted($0.summary))'" }.joined(separator: "\n")
            return """
                #compdef security
                local -a commands
                commands=(
                \(names)
                )
                if (( CURRENT == 2 )); then
                    _describe command commands
                else
                    _files
                fi

                """
        case .fish:
            let names = entries.map { entry in
                "complete -c security -n __fish_use_subcommand -a \(entry.name) -d '\(Self.quoted(entry.summary))'"
            }
            return "# fish completion for security\n" + names.joined(separator: "\n") + "\n"
        }
    }

    /// Text within single quotes, which all three shells end and begin again around a quote.
    private static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    }
}
