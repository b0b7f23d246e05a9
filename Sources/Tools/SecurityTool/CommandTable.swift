// SPDX-License-Identifier: Apache-2.0

/// Every command of macOS, in its order: a name may be abbreviated to a prefix that no earlier entry has.
///
/// Long, because it is a table.
enum CommandTable {
    /// A row.
    struct Entry: Sendable {
        let name: String

        /// One sentence about what the command does.
        let summary: String

        /// The arguments after the name; further lines explain them.
        let synopsis: String

        /// Makes the command; `nil` for a command about something that does not exist on Linux.
        let makeCommand: (@Sendable () -> any Command)?

        var options: OptionSyntax { makeCommand?().options ?? "" }

        /// How the command is used.
        var usage: ByteText { "Usage: \(name) \(synopsis)\n" }

        /// Why the command does not work; `nil` if it does.
        var remark: String? { makeCommand == nil ? "not supported on this platform" : nil }
    }

    /// The first command whose name begins with a word.
    static func entry(matching word: Word) -> Entry? { entries.first { word.isPrefix(of: $0.name) } }

    /// The names and summaries, in two columns, and the commands that do not work.
    static let list: ByteText = {
        let lines = entries.map { entry in
            let blanks = String(repeating: " ", count: max(36 - entry.name.utf8.count, 0))
            let mark = entry.remark.map { " (\($0))" } ?? ""
            return "    \(entry.name)\(blanks) \(entry.summary)\(mark)\n"
        }
        return ByteText(lines.joined())
    }()

    static let entries: [Entry] = [
        Entry(
            name: "help",
            summary: "List the commands, or show the usage of some.",
            synopsis: "[command ...]",
            makeCommand: { HelpCommand() }
        ),
        Entry(
            name: "list-keychains",
            summary: "Display or set the keychain search list.",
            synopsis: """
                [-h] [-d domain] [-s [keychain...]]
                    -d    user, system, common or dynamic; what every search of the user goes through if left out.
                    -s    Replace the list by the keychains that are named.
                """,
            makeCommand: { ListKeychains() }
        ),
        none("list-smartcards", "Display the smart cards that are there."),
        Entry(
            name: "default-keychain",
            summary: "Display or set the default keychain.",
            synopsis: """
                [-h] [-d domain] [-s [keychain]]
                    -d    user, system, common or dynamic; user if left out.
                    -s    Make the keychain the default one.
                """,
            makeCommand: { DefaultKeychain() }
        ),
        Entry(
            name: "login-keychain",
            summary: "Display the login keychain.",
            synopsis: "[-h]",
            makeCommand: { ShowLoginKeychain() }
        ),
        Entry(
            name: "create-keychain",
            summary: "Create keychains.",
            synopsis: """
                [-P] [-p password] [keychain...]
                    -p    Password; asked for if left out. Others can see it while it is typed here.
                    -P    Ask for the password (as without -p here).
                """,
            makeCommand: { CreateKeychain() }
        ),
        Entry(
            name: "delete-keychain",
            summary: "Delete keychains and remove them from the search list.",
            synopsis: "[-h] [keychain...]",
            makeCommand: { DeleteKeychain() }
        ),
        Entry(
            name: "lock-keychain",
            summary: "Lock a keychain, for every program.",
            synopsis: "[-h] [-a | keychain]",
            makeCommand: { LockKeychain() }
        ),
        Entry(
            name: "unlock-keychain",
            summary: "Unlock a keychain, for every program of the user.",
            synopsis: "[-h] [-u] [-p password] [keychain]",
            makeCommand: { UnlockKeychain() }
        ),
        Entry(
            name: "set-keychain-settings",
            summary: "Set when a keychain locks.",
            synopsis: """
                [-h] [-l] [-u] [-t seconds] [keychain]
                    -l    Lock when the host goes to sleep.
                    -u    Lock after a time without use, with -t.
                    -t    The time in seconds; never if left out.
                """,
            makeCommand: { SetKeychainSettings() }
        ),
        Entry(
            name: "set-keychain-password",
            summary: "Change the password of a keychain.",
            synopsis: """
                [-h] [-o old-password] [-p new-password] [keychain]
                    -o    Old password; asked for if left out. Others can see it while it is typed here.
                    -p    New password; asked for if left out. Others can see it while it is typed here.
                """,
            makeCommand: { SetKeychainPassword() }
        ),
        Entry(
            name: "show-keychain-info",
            summary: "Show the settings of a keychain.",
            synopsis: "[-h] [keychain]",
            makeCommand: { ShowKeychainInfo() }
        ),
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
            makeCommand: { DumpKeychain() }
        ),
        Entry(
            name: "create-keypair",
            summary: "Create a pair of keys.",
            synopsis: """
                [-h] [-a algorithm] [-s bits] [-k keychain] [-A | -T app] [description]
                    -a    rsa or ec (not part of macOS); rsa if left out.
                    -s    Size; for RSA at least 2048 bits.
                    -k    Keychain; the default one if left out.
                    -A    Every program may use the private key.
                    -T    A program that may use the private key (stored, without effect here).
                """,
            makeCommand: { CreateKeyPair() }
        ),
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
                    -A    Every program may use the item.
                    -T    A program that may use the item (stored, without effect here).
                """,
            makeCommand: { AddPassword(kind: .generic) }
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
                    -A    Every program may use the item.
                    -T    A program that may use the item (stored, without effect here).
                """,
            makeCommand: { AddPassword(kind: .internet) }
        ),
        Entry(
            name: "add-certificates",
            summary: "Add certificates to a keychain.",
            synopsis: "[-h] [-k keychain] file...",
            makeCommand: { AddCertificates() }
        ),
        Entry(
            name: "find-generic-password",
            summary: "Find a generic password item.",
            synopsis: """
                [-h] [-a account] [-s service] [options...] [-g] [-w] [keychain...]
                    -a, -c, -C, -D, -G, -j, -l, -s    What the item has, as for add-generic-password.
                    -g    Show the password as well.
                    -w    Show nothing but the password.
                """,
            makeCommand: { FindPassword(kind: .generic) }
        ),
        Entry(
            name: "delete-generic-password",
            summary: "Delete a generic password item.",
            synopsis: """
                [-h] [-a account] [-s service] [options...] [keychain...]
                    -a, -c, -C, -D, -G, -j, -l, -s    What the item has, as for add-generic-password.
                """,
            makeCommand: { DeletePassword(kind: .generic) }
        ),
        Entry(
            name: "set-generic-password-partition-list",
            summary: "Set the partition list of a generic password item.",
            synopsis: """
                [-a account] [-s service] [-S partitions] [-k password] [options...] [keychain]
                    -S    Partitions, with commas between (required).
                    -k    Password of the keychain; asked for if left out. Others can see it while it is typed here.
                    -a, -c, -C, -D, -G, -j, -l, -s    What the item has, as for add-generic-password.
                """,
            makeCommand: { SetPartitionList(items: .passwords(.generic)) }
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
            makeCommand: { FindPassword(kind: .internet) }
        ),
        Entry(
            name: "delete-internet-password",
            summary: "Delete an internet password item.",
            synopsis: """
                [-h] [-a account] [-s server] [options...] [keychain...]
                    -a, -c, -C, -d, -D, -j, -l, -p, -P, -r, -s, -t    What the item has, as for add-internet-password.
                """,
            makeCommand: { DeletePassword(kind: .internet) }
        ),
        Entry(
            name: "set-internet-password-partition-list",
            summary: "Set the partition list of an internet password item.",
            synopsis: """
                [-a account] [-s server] [-S partitions] [-k password] [options...] [keychain]
                    -S    Partitions, with commas between (required).
                    -k    Password of the keychain; asked for if left out. Others can see it while it is typed here.
                    -a, -c, -C, -d, -D, -j, -l, -p, -P, -r, -s, -t    What the item has, as for add-internet-password.
                """,
            makeCommand: { SetPartitionList(items: .passwords(.internet)) }
        ),
        Entry(
            name: "find-key",
            summary: "Find keys.",
            synopsis: """
                [-h] [options...] [keychain...]
                    -a    Application label.
                    -c    Creator, four characters.
                    -l    Label.
                    -t    symmetric, public or private.
                    -d, -e, -r, -s, -u, -v, -w
                          It can decrypt, encrypt, derive, sign, unwrap, verify, wrap.
                    -D, -j    Accepted; keys have no kind and no comment.
                """,
            makeCommand: { FindKey() }
        ),
        Entry(
            name: "set-key-partition-list",
            summary: "Set the partition list of a key.",
            synopsis: """
                [-S partitions] [-k password] [options...] [keychain]
                    -S    Partitions, with commas between (required).
                    -k    Password of the keychain; asked for if left out. Others can see it while it is typed here.
                    -a    Application label.
                    -c    Creator, four characters.
                    -l    Label.
                    -t    symmetric, public or private.
                    -d, -e, -r, -s, -u, -v, -w
                          It can decrypt, encrypt, derive, sign, unwrap, verify, wrap.
                    -D, -j    Accepted; keys have no kind and no comment.
                """,
            makeCommand: { SetPartitionList(items: .keys) }
        ),
        Entry(
            name: "find-certificate",
            summary: "Find certificates.",
            synopsis: """
                [-h] [-a] [-c name] [-e address] [-m] [-p] [-Z] [keychain...]
                    -a    All that fit, not the first alone.
                    -c    A part of the common name.
                    -e    An e-mail address.
                    -m    Show the e-mail addresses.
                    -p    Show the certificate as text (PEM).
                    -Z    Show its SHA-256 and SHA-1 hash.
                """,
            makeCommand: { FindCertificate() }
        ),
        Entry(
            name: "find-identity",
            summary: "Find certificates with their keys.",
            synopsis: """
                [-h] [-p policy]... [-s name] [-v] [keychain...]
                    -p    basic, ssl-client, ssl-server, smime, eap, ipsec, ichat, codesigning, sys-default,
                          sys-kerberos-kdc, appleID or macappstore; basic if left out.
                    -s    A name that the identity is for.
                    -v    Valid identities only.
                """,
            makeCommand: { FindIdentity() }
        ),
        Entry(
            name: "delete-certificate",
            summary: "Delete a certificate.",
            synopsis: """
                [-h] [-c name | -Z hash] [-t] [keychain...]
                    -c    The common name, or a part that no other has.
                    -Z    The SHA-256 or SHA-1 hash of the certificate.
                    -t    Remove the user's trust settings for it as well.
                """,
            makeCommand: { DeleteCertificate(isIdentity: false) }
        ),
        Entry(
            name: "delete-identity",
            summary: "Delete a certificate and its key.",
            synopsis: """
                [-h] [-c name | -Z hash] [-t] [keychain...]
                    -c    The common name, or a part that no other has.
                    -Z    The SHA-256 or SHA-1 hash of the certificate.
                    -t    Remove the user's trust settings for it as well.
                """,
            makeCommand: { DeleteCertificate(isIdentity: true) }
        ),
        Entry(
            name: "set-identity-preference",
            summary: "Set the identity for a service.",
            synopsis: """
                [-n] [-c name | -Z hash] [-u usage] [-s service] [keychain...]
                    -n    No identity any more.
                    -c    The common name of the certificate, or a part that no other has.
                    -s    Service (required).
                    -u    Accepted; makes no difference here.
                    -Z    The SHA-256 or SHA-1 hash of the certificate.
                """,
            makeCommand: { SetIdentityPreference() }
        ),
        Entry(
            name: "get-identity-preference",
            summary: "Show the identity for a service.",
            synopsis: """
                [-s service] [-u usage] [-p] [-c] [-Z]
                    -s    Service (required).
                    -u    Accepted; makes no difference here.
                    -p    Show the certificate as text (PEM).
                    -c    Show its common name.
                    -Z    Show its SHA-1 hash.
                """,
            makeCommand: { GetIdentityPreference() }
        ),
        none("create-db", "Create a database of keychain records."),
        Entry(
            name: "export",
            summary: "Export items.",
            synopsis: """
                [-k keychain] [-t type] [-f format] [-w] [-p] [-P passphrase] [-o file]
                    -t    certs, allKeys, pubKeys, privKeys, identities or all; certificates and private keys if left out.
                    -f    openssl, pkcs7, pkcs8, pkcs12, x509 or pemseq; pkcs12-legacy for programs that read no newer
                          PKCS #12 file (not part of macOS).
                    -w    Encrypt private keys.
                    -p    Write text (PEM).
                    -P    Passphrase; asked for when one is needed. Others can see it while it is typed here.
                    -o    File; standard output if left out.
                """,
            makeCommand: { ExportItems() }
        ),
        Entry(
            name: "import",
            summary: "Import items into a keychain.",
            synopsis: """
                file [-k keychain] [-t type] [-f format] [-w] [-x] [-P passphrase] [options...]
                    -t    pub, priv, session, cert or agg.
                    -f    openssl, pkcs7, pkcs8, pkcs12, x509 or pemseq; the contents tell it if left out.
                    -w    Private keys are encrypted (no effect here: they say so).
                    -x    Private keys cannot be exported again.
                    -P    Passphrase; asked for when one is needed. Others can see it while it is typed here.
                    -a    An attribute: its name, and its value (no effect here).
                    -A    Every program may use the keys.
                    -T    A program that may use the keys.
                """,
            makeCommand: { ImportItems() }
        ),
        none("export-smartcard", "Export items from a smart card."),
        Entry(
            name: "cms",
            summary: "Encode or decode signed and encrypted messages.",
            synopsis: """
                -D|-S|-E [options]
                    -D    Take the contents out of a message, whoever has signed it; signatures are not verified.
                    -S    Sign.
                    -E    Encrypt.
                    -i    What to read; standard input if left out.
                    -o    What to write; standard output if left out.
                    -k    The keychain with the certificates and keys; all that are searched if left out.
                  with -D:
                    -c    The contents of a detached signature.
                    -h    Show who has signed in front of the contents.
                    -n    Leave the contents out.
                  with -S:
                    -N    The common name or e-mail address of the certificate to sign with.
                    -H    SHA1, SHA224, SHA256 (if left out), SHA384 or SHA512.
                    -T    Leave the contents out of the message.
                    -G    Sign the time as well.
                    -P    Sign which ciphers may be used in answers.
                  with -E:
                    -r    The common names or e-mail addresses of the recipients, with commas between.
                    -C    Encode with a key of another message (not implemented).
                """,
            makeCommand: { MessageCommand() }
        ),
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
            makeCommand: { AddTrustedCertificate() }
        ),
        Entry(
            name: "remove-trusted-cert",
            summary: "No longer trust a certificate.",
            synopsis: "[-h] [-d] file",
            makeCommand: { RemoveTrustedCertificate() }
        ),
        Entry(
            name: "dump-trust-settings",
            summary: "Show which certificates are trusted.",
            synopsis: """
                [-h] [-s] [-d]
                    -s    Those of the system.
                    -d    Those of the administrator.
                """,
            makeCommand: { DumpTrustSettings() }
        ),
        Entry(
            name: "user-trust-settings-enable",
            summary: "Show or set whether a user's trust settings count.",
            synopsis: "[-h] [-d] [-e]",
            makeCommand: { EnableUserTrustSettings() }
        ),
        Entry(
            name: "trust-settings-export",
            summary: "Export trust settings.",
            synopsis: "[-h] [-s] [-d] file",
            makeCommand: { ExportTrustSettings() }
        ),
        Entry(
            name: "trust-settings-import",
            summary: "Import trust settings.",
            synopsis: "[-h] [-d] file",
            makeCommand: { ImportTrustSettings() }
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
            makeCommand: { VerifyCertificate() }
        ),
        none("authorize", "Ask for a right."),
        none("authorizationdb", "Change the rules about rights."),
        none("execute-with-privileges", "Run a program with privileges."),
        none("leaks", "Look for leaks of memory in this process."),
        Entry(
            name: "error",
            summary: "Show what error codes mean.",
            synopsis: "[-h] [code...]",
            makeCommand: { ErrorCommand() }
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

    private static func none(_ name: String, _ summary: String) -> Entry {
        Entry(name: name, summary: summary, synopsis: "[-h] (not supported on this platform)", makeCommand: nil)
    }
}
