// SPDX-License-Identifier: Apache-2.0

/// Executables that execute whatever they are given, by name.
///
/// An identity for one of them would be one for every script. The names are those of common distributions, without
/// versions: `python3.11` is `python`. A renamed interpreter is not recognized: signing it, or naming it in a
/// root-owned manifest, gives its identity to every script.
enum InterpreterNames {
    static func isInterpreter(_ name: String) -> Bool {
        let name = name.lowercased()
        if name.hasPrefix("ld-linux") || name.hasPrefix("ld-musl") || name == "ld.so" || name.hasPrefix("ld64.so") {
            return true
        }
        if names.contains(name) { return true }
        // Without a version, such as 3.11 or -7.4, and without what says how it was built.
        var plain = Substring(name)
        for suffix in ["-static", "-dbg", "-full", "-lite", ".basic", ".tiny", ".gtk3", ".nox"]
        where plain.hasSuffix(suffix) {
            plain = plain.dropLast(suffix.count)
        }
        while let last = plain.last, last.isNumber || ".-_m".contains(last), plain.count > 1 {
            // The letter m ends names, too, and is part of a version only after a digit.
            if last == "m", plain.dropLast().last?.isNumber != true { break }
            plain = plain.dropLast()
        }
        return names.contains(String(plain))
    }

    private static let names: Set<String> = [
        // shells
        "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "lksh", "pdksh", "yash", "posh", "fish", "csh",
        "tcsh",
        "rc", "es", "elvish", "nu", "pwsh", "xonsh", "busybox", "toybox", "expect",
        // languages
        "python", "pypy", "perl", "ruby", "irb", "jruby", "node", "nodejs", "deno", "bun", "qjs", "gjs", "cjs", "js",
        "lua",
        "luajit", "texlua", "tclsh", "wish", "php", "php-cgi", "php-fpm", "phpdbg", "r", "rscript", "java", "jshell",
        "kotlin", "scala", "groovy", "guile", "racket", "sbcl", "clisp", "ecl", "emacs", "vim", "vi", "nvim", "awk",
        "gawk",
        "mawk", "nawk", "original-awk", "octave", "octave-cli", "julia", "erl", "beam.smp", "escript", "elixir", "iex",
        "runghc", "runhaskell", "ghc", "ghci", "ocaml", "ocamlrun", "mono", "mono-sgen", "dotnet", "swift",
        "swift-frontend",
        "swift-driver", "repl_swift", "raku", "moar", "electron", "wine", "wine-preloader", "wasmtime", "wasmer",
        // debuggers and tracers, and what runs programs inside of itself
        "gdb", "gdbserver", "lldb", "lldb-server", "lldb-dap", "strace", "ltrace", "rr", "valgrind", "valgrind.bin",
        "perf",
        "bpftrace", "uftrace", "frida", "frida-server", "qemu-user", "qemu-x86_64", "qemu-aarch64", "proot",
        "fakechroot",
    ]
}
