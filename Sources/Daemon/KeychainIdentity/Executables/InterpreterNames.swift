// SPDX-License-Identifier: Apache-2.0

/// Executables that execute their input, by name.
///
/// An identity for one of them would be one for every script. The names are those of common distributions, without
/// versions: `python3.11` is `python`. A renamed interpreter is recognized only if it is linked to the library of its
/// language: otherwise signing it, or naming it in a root-owned manifest, gives its identity to every script.
enum InterpreterNames {
    static func isInterpreter(_ name: String) -> Bool {
        let name = name.lowercased()
        if isLoader(name) { return true }
        if names.contains(name) || isVersion(name) { return true }
        // Without a version, such as 3.11 or -7.4, and without a build suffix.
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

    /// Whether it is the loader of dynamically linked programs, which is mapped in each of them.
    static func isLoader(_ name: String) -> Bool {
        name.hasPrefix("ld-linux") || name.hasPrefix("ld-musl") || name == "ld.so" || name.hasPrefix("ld64.so")
    }

    /// Whether a library is an interpreter, by the name by which programs are linked to it, such as
    /// `libpython3.11.so.1.0`.
    static func isInterpreterLibrary(_ name: String) -> Bool {
        guard let base = name.split(separator: ".so", omittingEmptySubsequences: false).first, base != name[...] else {
            return false
        }
        let stem = base.lowercased().split(separator: "/").last ?? ""
        guard stem.hasPrefix("lib") else { return false }
        let language = stem.dropFirst(3)
        return libraries.contains { library in
            guard language.hasPrefix(library) else { return false }
            return isVersionSuffix(language.dropFirst(library.count))
        }
    }

    /// Whether a name is that of an interpreter with a version and any suffix, such as `perl5.36-x86_64-linux-gnu` or
    /// `luajit-2.1.0-beta3`; or of one that has variants, such as `emacs-gtk`.
    private static func isVersion(_ name: String) -> Bool {
        let stem = name.prefix { $0.isLetter }
        let rest = name.dropFirst(stem.count)
        if namesWithVariants.contains(String(stem)), rest.first == "-" { return true }
        return names.contains(String(stem)) && !rest.isEmpty && isVersionSuffix(rest)
    }

    /// Whether a suffix is empty, or a version: digits and periods, Python's flags as in `3.13t`, and anything after a
    /// separator.
    private static func isVersionSuffix(_ suffix: Substring) -> Bool {
        var rest = suffix
        if let first = rest.first, "-_.".contains(first) { rest = rest.dropFirst() }
        guard rest.first?.isNumber == true else { return suffix.isEmpty }
        rest = rest.drop { $0.isNumber || $0 == "." }
        rest = rest.drop { "dmtu".contains($0) }
        return rest.first.map { "-_.".contains($0) } ?? true
    }

    private static let names: Set<String> = [
        // shells
        "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "lksh", "pdksh", "yash", "posh", "fish", "csh",
        "tcsh", "busybox", "toybox", "elvish", "es", "nu", "osh", "pwsh", "rc", "xonsh",
        // interpreters
        "python", "ipython", "micropython", "pypy", "perl", "ruby", "irb", "jruby", "mruby", "node", "nodejs", "deno",
        "bun", "qjs", "gjs", "cjs", "js", "jsc", "d8", "duk", "mujs", "lua", "luajit", "texlua", "luatex", "tcl",
        "tclsh",
        "wish", "expect", "php", "php-cgi", "php-fpm", "phpdbg", "r", "rscript", "java", "jshell", "kotlin", "scala",
        "groovy", "clojure", "guile", "racket", "chez", "csi", "gsi", "sbcl", "clisp", "ecl", "emacs", "vim", "vi",
        "nvim",
        "awk", "gawk", "mawk", "nawk", "original-awk", "octave", "octave-cli", "julia", "erl", "beam.smp", "escript",
        "elixir", "iex", "runghc", "runhaskell", "ghc", "ghci", "ocaml", "ocamlrun", "mono", "mono-sgen", "dotnet",
        "swift", "swift-frontend", "swift-driver", "repl_swift", "raku", "moar", "electron", "wine", "wine-preloader",
        "wasmtime", "wasmer", "iwasm", "dart", "swipl", "gprolog", "gforth", "pike", "regina", "rexx", "tcc", "cling",
        "sqlite",
        // debuggers and tracers, and what runs programs inside of itself
        "gdb", "gdbserver", "lldb", "lldb-server", "lldb-dap", "dlv", "radare", "strace", "ltrace", "rr", "valgrind",
        "valgrind.bin", "perf", "stap", "bpftrace", "uftrace", "frida", "frida-server", "qemu", "qemu-user",
        "qemu-x86_64",
        "qemu-aarch64", "box64", "box86", "proot", "fakechroot", "script",
    ]

    /// Those whose variants have names such as `emacs-gtk`, `gdb-multiarch` or `qemu-i386-static`.
    ///
    /// Not all do: a program whose name begins with `swift-` or `node-` is usually not an interpreter.
    private static let namesWithVariants: Set<String> = [
        "bash", "zsh", "ksh", "busybox", "python", "pypy", "perl", "ruby", "lua", "luajit", "php", "emacs", "vim",
        "gdb",
        "lldb", "qemu", "octave", "wine", "guile",
    ]

    /// Languages whose interpreter is a library, `libNAME` with or without a version.
    private static let libraries = [
        "python", "pypy", "perl", "ruby", "lua", "luajit", "node", "jvm", "jli", "guile", "tcl", "php", "r", "julia",
        "mozjs", "swipl", "monosgen",
    ]
}
