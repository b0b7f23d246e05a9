// SPDX-License-Identifier: Apache-2.0

/// What a shell completes of the command line of `security`: the names of commands, then names of items and keychains,
/// for which it runs `security --complete`, and files.
///
/// The words of the command line go to that program by a pipe, never as its arguments. No shell expands or evaluates
/// what comes back: the names of items are whatever programs have chosen.
package enum ShellCompletion: String {
    case bash, zsh, fish

    /// The script, which the shell reads.
    package var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    private static var entries: [CommandTable.Entry] { CommandTable.entries.filter { $0.remark == nil } }

    /// Bash takes a word apart at colons and other characters, and replaces its last part only.
    private static var bashScript: String {
        #"""
        # bash completion for security
        _swift_keychain_security() {
            local line="${COMP_LINE:0:COMP_POINT}" words=() token name i
            COMPREPLY=()
            if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "@NAMES@" -- "$2"))
                return
            fi
            for ((i = 0; i <= COMP_CWORD; i++)); do
                token="${COMP_WORDS[i]}"
                if [[ $i -gt 0 && "$line" != [[:space:]]* ]]; then
                    words[${#words[@]}-1]+="$token"
                else
                    words+=("$token")
                fi
                line="${line#"${line%%[![:space:]]*}"}"
                line="${line#"$token"}"
            done
            words=("${words[@]//[\\\'\"]/}")
            local word="${words[${#words[@]}-1]}" typed="${2//[\\\'\"]/}"
            while IFS= read -r name; do
                if [[ "$name" == "$word"* ]]; then COMPREPLY+=("${name#"${word%"$typed"}"}"); fi
            done < <(printf '%s\0' "${words[@]:1:${#words[@]}-2}" | "$1" --complete 2>/dev/null)
            if [ "${#COMPREPLY[@]}" -eq 0 ]; then
                while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$2")
            fi
        }
        complete -o filenames -F _swift_keychain_security security

        """#.replacing("@NAMES@", with: entries.map(\.name).joined(separator: " "))
    }

    private static var zshScript: String {
        let commands = entries.map { "    '\($0.name):\(quoted($0.summary))'" }.joined(separator: "\n")
        return #"""
            #compdef security
            local -a commands names
            commands=(
            @COMMANDS@
            )
            if (( CURRENT == 2 )); then
                _describe command commands
                return
            fi
            names=("${(@f)$(printf '%s\0' "${(@Q)words[2,CURRENT-1]}" | ${(Q)words[1]} --complete 2>/dev/null)}")
            names=(${names:#})
            if (( $#names )); then
                compadd -a names
            else
                _files
            fi

            """#.replacing("@COMMANDS@", with: commands)
    }

    private static var fishScript: String {
        let commands = entries.map { entry in
            "complete -c security -n __fish_use_subcommand -a \(entry.name) -d '\(quoted(entry.summary))'"
        }
        return #"""
            # fish completion for security
            function __swift_keychain_security
                set -l words (commandline -opc)
                printf '%s\0' $words[2..-1] | $words[1] --complete 2>/dev/null
            end
            complete -c security -n 'not __fish_use_subcommand' -a '(__swift_keychain_security)'

            """# + commands.joined(separator: "\n") + "\n"
    }

    /// Text within single quotes, which all three shells end and begin again around a quote.
    private static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    }
}
