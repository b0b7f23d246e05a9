// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How an editor is started, so that it keeps no copies of a file outside of its folder.
enum EditorCommand {
    /// After the settings of the user, who may have chosen otherwise for other files.
    private static let vim =
        "-n -i NONE -c 'silent! set viminfo= nobackup nowritebackup patchmode=' -c 'silent! set noundofile'"

    private static let emacs =
        "--eval '(setq-default make-backup-files nil auto-save-default nil auto-save-list-file-prefix nil "
        + "create-lockfiles nil)'"

    /// Those of a program; `nil` for others, of which what they keep is a matter of their settings.
    private static func ofProgram(_ name: String) -> String? {
        switch name {
        case "vim", "vim.basic", "vim.tiny", "vim.nox", "vim.gtk3", "vim.motif", "vim.athena", "vimx", "rvim", "gvim",
            "nvim":
            vim
        // Restricted: no backups and no histories, whatever its files of settings say.
        case "nano", "rnano": "--restricted"
        case "micro": "-backup false -savehistory false -saveundo false -savecursor false"
        case "joe", "jmacs", "jpico", "jstar", "rjoe": "-nobackups -nodeadjoe --joe_state"
        // Also 'emacs-29.1'.
        case _ where name.hasPrefix("emacs") && !name.hasPrefix("emacsclient"): emacs
        default: nil
        }
    }

    /// The beginning of a shell's command line, which the path of the file follows.
    ///
    /// As with git, the variable may have arguments in it.
    ///
    /// - Parameters:
    ///   - editor: the value of `VISUAL` or `EDITOR`.
    ///   - path: the value of `PATH`.
    /// - Returns: The line.
    static func line(_ editor: String, path: String?) -> String {
        let editor = editor.drop(while: \.isWhitespace)
        let word = String(editor.prefix { !$0.isWhitespace })
        let rest = editor.dropFirst(word.count)
        let file = ProgramPath.file(word, in: path)
        // 'vi' is a link to one of several programs, and some of those are one with several names.
        let resolved = realpath(file ?? word, nil)
        defer { free(resolved) }
        let names = [resolved.map { String(cString: $0) }, word].compactMap { $0?.split(separator: "/").last }
        // Before its other arguments, which may be commands that end it.
        let options = names.lazy.compactMap { ofProgram(String($0)) }.first.map { " \($0)" } ?? ""
        // A signal to the shell would leave the editor.
        let isPlain = file != nil && editor.unicodeScalars.allSatisfy { !shellSyntax.contains($0) }
        return (isPlain ? "exec " : "") + word + options + rest
    }

    private static let shellSyntax = Set("|&;<>()$`\\\n#~".unicodeScalars)
}
