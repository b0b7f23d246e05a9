// SPDX-License-Identifier: Apache-2.0

/// Every command that macOS has, in its order: a name may be shortened to what no earlier entry begins with.
///
/// Long, because it is a table.
enum CommandTable {
    /// A row.
    struct Entry: Sendable {
        let name: String

        /// One sentence about what the command does.
        let summary: String

        /// What may follow the name; further lines explain it.
        let synopsis: String

        let kind: Kind

        var options: OptionSyntax {
            switch kind {
            case .command(let command): command.options
            case .notYet(let options): options
            case .noMeaning: ""
            }
        }

        /// How the command is used.
        var usage: ByteText { "Usage: \(name) \(synopsis)\n" }

        /// Why the command does not work; `nil` for one that does.
        var remark: String? {
            switch kind {
            case .command: nil
            case .notYet: "not implemented yet"
            case .noMeaning: "not supported on this platform"
            }
        }
    }

    /// What there is behind a name.
    enum Kind: Sendable {
        /// A command that works.
        case command(any Command)
        /// A command that is still to come; its options say which values are secrets.
        case notYet(OptionSyntax)
        /// A command for something that Linux does not have.
        case noMeaning
    }

    /// The first command whose name begins with a word.
    static func entry(matching word: Word) -> Entry? { entries.first { word.isPrefix(of: $0.name) } }

    /// The names with what they do, in two columns, and below them the names of the commands that do not work.
    ///
    /// Not beside them, because tools look for whole lines of the list.
    static let list: ByteText = {
        let lines = entries.map { entry in
            let blanks = String(repeating: " ", count: max(36 - entry.name.utf8.count, 0))
            return "    \(entry.name)\(blanks) \(entry.summary)\n"
        }
        return ByteText(lines.joined()) + unusable("not implemented yet") + unusable("not supported on this platform")
    }()

    /// The commands with a remark, under it.
    private static func unusable(_ remark: String) -> ByteText {
        let names = entries.filter { $0.remark == remark }.map { "    \($0.name)\n" }.joined()
        return ByteText("\(remark):\n\(names)")
    }

    static let entries: [Entry] = [
        Entry(
            name: "help",
            summary: "List the commands, or show the usage of some.",
            synopsis: "[command ...]",
            kind: .command(HelpCommand())
        ),
        later("list-keychains", "Display or set the keychain search list.", "[-h] [-d domain] [-s [keychain...]]"),
        none("list-smartcards", "Display the smart cards that are there."),
        later("default-keychain", "Display or set the default keychain.", "[-h] [-d domain] [-s [keychain]]"),
        later("login-keychain", "Display or set the login keychain.", "[-h] [-d domain] [-s [keychain]]"),
        later(
            "create-keychain",
            "Create keychains.",
            "[-P] [-p password] [keychain...]",
            OptionSyntax("hp:P", secrets: "p")
        ),
        later("delete-keychain", "Delete keychains and remove them from the search list.", "[-h] [keychain...]"),
        Entry(
            name: "lock-keychain",
            summary: "Lock the keychain, for every program.",
            synopsis: "[-h] [-a | keychain]",
            kind: .command(LockKeychain())
        ),
        Entry(
            name: "unlock-keychain",
            summary: "Unlock the keychain, for every program of the user if the daemon owns it.",
            synopsis: "[-h] [-u] [-p password] [keychain]",
            kind: .command(UnlockKeychain())
        ),
        later("set-keychain-settings", "Set when a keychain locks.", "[-h] [-l] [-u] [-t seconds] [keychain]"),
        later(
            "set-keychain-password",
            "Change the password of a keychain.",
            "[-h] [-o old-password] [-p new-password] [keychain]",
            OptionSyntax("ho:p:", secrets: "op")
        ),
        later("show-keychain-info", "Show the settings of a keychain.", "[-h] [keychain]"),
        Entry(
            name: "dump-keychain",
            summary: "Show what keychains contain.",
            synopsis: """
                [-h] [-adir] [keychain...]
                    -a    Show who may use each item.
                    -d    Show the secrets.
                    -i    The same as -a here.
                    -r    Show the sealed data (empty here).
                """,
            kind: .command(DumpKeychain())
        ),
        later("create-keypair", "Create a pair of keys.", "[-h] [-a algorithm] [-s bits] [-k keychain] [description]"),
        Entry(
            name: "add-generic-password",
            summary: "Add a generic password item.",
            synopsis: """
                [-a account] [-s service] [-w password] [options...] [keychain]
                    -a    Account (required).
                    -s    Service (required).
                    -w    Password; asked for when -w is the last word. Others can see it while it is typed here.
                    -p    The same as -w.
                    -X    Password in hexadecimal digits.
                    -c    Creator, four characters.
                    -C    Type, four characters.
                    -D    Kind of item.
                    -G    Generic attribute.
                    -j    Comment.
                    -l    Label; the service if left out.
                    -U    Change the item if it is there already.
                    -A    Every program may use the item (always so here).
                    -T    A program that may use the item (checked, without effect here).
                """,
            kind: .command(AddPassword(kind: .generic))
        ),
        Entry(
            name: "add-internet-password",
            summary: "Add an internet password item.",
            synopsis: """
                [-a account] [-s server] [-w password] [options...] [keychain]
                    -a    Account (required).
                    -s    Server (required).
                    -w    Password; asked for when -w is the last word. Others can see it while it is typed here.
                    -X    Password in hexadecimal digits.
                    -c    Creator, four characters.
                    -C    Type, four characters.
                    -d    Security domain.
                    -D    Kind of item.
                    -j    Comment.
                    -l    Label; the server if left out.
                    -p    Path.
                    -P    Port.
                    -r    Protocol, four characters.
                    -t    Authentication type, four characters; "dflt" if left out.
                    -U    Change the item if it is there already.
                    -A    Every program may use the item (always so here).
                    -T    A program that may use the item (checked, without effect here).
                """,
            kind: .command(AddPassword(kind: .internet))
        ),
        later("add-certificates", "Add certificates to a keychain.", "[-h] [-k keychain] file..."),
        Entry(
            name: "find-generic-password",
            summary: "Find a generic password item.",
            synopsis: """
                [-h] [-a account] [-s service] [options...] [-g] [-w] [keychain...]
                    -a, -c, -C, -D, -G, -j, -l, -s    What the item has, as for add-generic-password.
                    -g    Show the password as well.
                    -w    Show nothing but the password.
                """,
            kind: .command(FindPassword(kind: .generic))
        ),
        Entry(
            name: "delete-generic-password",
            summary: "Delete a generic password item.",
            synopsis: """
                [-h] [-a account] [-s service] [options...] [keychain...]
                    -a, -c, -C, -D, -G, -j, -l, -s    What the item has, as for add-generic-password.
                """,
            kind: .command(DeletePassword(kind: .generic))
        ),
        later(
            "set-generic-password-partition-list",
            "Set the partition list of a generic password item.",
            "[-a account] [-s service] [-S partitions] [-k password] [options...] [keychain]",
            OptionSyntax(":a:c:C:D:G:j:l:s:S:k:h", secrets: "k")
        ),
        Entry(
            name: "find-internet-password",
            summary: "Find an internet password item.",
            synopsis: """
                [-h] [-a account] [-s server] [options...] [-g] [-w] [keychain...]
                    -a, -c, -C, -d, -D, -j, -l, -p, -P, -r, -s, -t    What the item has, as for add-internet-password.
                    -g    Show the password as well.
                    -w    Show nothing but the password.
                """,
            kind: .command(FindPassword(kind: .internet))
        ),
        Entry(
            name: "delete-internet-password",
            summary: "Delete an internet password item.",
            synopsis: """
                [-h] [-a account] [-s server] [options...] [keychain...]
                    -a, -c, -C, -d, -D, -j, -l, -p, -P, -r, -s, -t    What the item has, as for add-internet-password.
                """,
            kind: .command(DeletePassword(kind: .internet))
        ),
        later(
            "set-internet-password-partition-list",
            "Set the partition list of an internet password item.",
            "[-a account] [-s server] [-S partitions] [-k password] [options...] [keychain]",
            OptionSyntax("a:c:C:d:D:j:l:p:P:r:s:t:S:k:h", secrets: "k")
        ),
        later("find-key", "Find keys.", "[options...] [keychain...]"),
        later(
            "set-key-partition-list",
            "Set the partition list of a key.",
            "[-S partitions] [-k password] [options...] [keychain]",
            OptionSyntax(":a:c:dD:ej:k:l:rsS:t:uvwh", secrets: "k")
        ),
        later(
            "find-certificate",
            "Find certificates.",
            "[-h] [-a] [-c name] [-e address] [-m] [-p] [-Z] [keychain...]"
        ),
        later("find-identity", "Find certificates with their keys.", "[-h] [-p policy] [-s name] [-v] [keychain...]"),
        later("delete-certificate", "Delete a certificate.", "[-h] [-c name | -Z hash] [-t] [keychain...]"),
        later("delete-identity", "Delete a certificate and its key.", "[-h] [-c name | -Z hash] [-t] [keychain...]"),
        later("set-identity-preference", "Set the identity for a service.", "[-n] [-c name] [-s service] [-Z hash]"),
        later("get-identity-preference", "Show the identity for a service.", "[-s service] [-u usage] [-p] [-c] [-Z]"),
        none("create-db", "Create a database of keychain records."),
        later(
            "export",
            "Export items.",
            "[-k keychain] [-t type] [-f format] [-w] [-p] [-P passphrase] [-o file]",
            OptionSyntax("k:t:f:wpP:o:h", secrets: "P")
        ),
        later(
            "import",
            "Import items into a keychain.",
            "file [-k keychain] [-t type] [-f format] [-w] [-x] [-P passphrase] [options...]",
            OptionSyntax("k:t:f:P:wxa:AT:h", secrets: "P", leadingOperands: 1)
        ),
        none("export-smartcard", "Export items from a smart card."),
        later("cms", "Encode or decode signed and encrypted messages.", "[-C | -D | -E | -S] [options...]"),
        none("install-mds", "Install the database of security modules."),
        Entry(
            name: "add-trusted-cert",
            summary: "Trust a certificate.",
            synopsis: """
                [-h] [-d] [-r result] [-p policy] [-s string] [-e error] [-u usage] [-k keychain] [-i file] [-o file] [file]
                    -d    For every user (root only).
                    -r    trustRoot (if left out), trustAsRoot, deny or unspecified.
                    -p    basic, ssl, smime, codeSign, IPSec, eap and others; each if left out.
                    -s    The host or e-mail address that the policy is for.
                    -e    certExpired or hostnameMismatch: an error that is passed over.
                    -u    What the key is used for, a number.
                    -i    Begin with the settings of a file.
                    -o    Write the settings to a file, and trust nobody.
                Other programs of Linux know nothing of it.
                """,
            kind: .command(AddTrustedCertificate())
        ),
        Entry(
            name: "remove-trusted-cert",
            summary: "No longer trust a certificate.",
            synopsis: "[-h] [-d] file",
            kind: .command(RemoveTrustedCertificate())
        ),
        Entry(
            name: "dump-trust-settings",
            summary: "Show which certificates are trusted.",
            synopsis: """
                [-h] [-s] [-d]
                    -s    Those of the system.
                    -d    Those of the administrator.
                """,
            kind: .command(DumpTrustSettings())
        ),
        Entry(
            name: "user-trust-settings-enable",
            summary: "Show or set whether a user's trust settings count.",
            synopsis: "[-h] [-d] [-e]",
            kind: .command(EnableUserTrustSettings())
        ),
        Entry(
            name: "trust-settings-export",
            summary: "Export trust settings.",
            synopsis: "[-h] [-s] [-d] file",
            kind: .command(ExportTrustSettings())
        ),
        Entry(
            name: "trust-settings-import",
            summary: "Import trust settings.",
            synopsis: "[-h] [-d] file",
            kind: .command(ImportTrustSettings())
        ),
        Entry(
            name: "verify-cert",
            summary: "Verify certificates.",
            synopsis: """
                [-h] [-c file] [-r file] [-p policy] [-s host] [-e address] [-n name] [-d date] [-k keychain] [-R check] \
                [-P] [-q] [options...]
                    -c    The certificate, then others that may be in its chain.
                    -r    A root to trust instead of those of the system; alone, it is verified itself.
                    -p    basic (if left out), ssl, smime, codeSign, IPSec, eap and others.
                    -s    The host; the policy is ssl if none is named.
                    -e    The e-mail address; the policy is smime if none is named.
                    -n    The name that the policy is for.
                    -d    When it has to be valid: YYYY-MM-DD-hh:mm:ss, in UTC.
                    -R    ocsp, crl, require or offline.
                    -P    Show the chain.
                    -q    Show no result.
                """,
            kind: .command(VerifyCertificate())
        ),
        none("authorize", "Ask for a right."),
        none("authorizationdb", "Change the rules about rights."),
        none("execute-with-privileges", "Run a program with privileges."),
        none("leaks", "Look for leaks of memory in this process."),
        Entry(
            name: "error",
            summary: "Show what error codes mean.",
            synopsis: "[-h] [code...]",
            kind: .command(ErrorCommand())
        ),
        none("create-filevaultmaster-keychain", "Create a keychain for the recovery of encrypted disks."),
        none("smartcards", "Turn the use of smart cards on or off."),
        none("translocate-policy-check", "Tell whether a path would be translocated."),
        none("translocate-status-check", "Tell whether a path is translocated."),
        none("translocate-original-path", "Show where a translocated path comes from."),
        none("requirement-evaluate", "Check a code requirement against certificates."),
        none("filevault", "Manage the encryption of disks."),
        none("platformsso", "Manage single sign-on of the platform."),
    ]

    private static func later(
        _ name: String,
        _ summary: String,
        _ synopsis: String,
        _ options: OptionSyntax = ""
    ) -> Entry {
        Entry(name: name, summary: summary, synopsis: synopsis, kind: .notYet(options))
    }

    private static func none(_ name: String, _ summary: String) -> Entry {
        Entry(name: name, summary: summary, synopsis: "[-h] (not supported on this platform)", kind: .noMeaning)
    }
}
