// SPDX-License-Identifier: Apache-2.0

import CommandHelp

/// Examples of the supported commands, for the manual page; `security help` has the usage alone, as on macOS.
enum CommandExamples {
    /// The examples of a command.
    static func of(_ name: String) -> [CommandExample] {
        table.first { $0.key == name }?.value.map { CommandExample(line: $0.key, meaning: $0.value) } ?? []
    }

    private static let table: KeyValuePairs<String, KeyValuePairs<String, String>> = [
        "help": ["security help add-generic-password": "Shows the options of a command."],
        "list-keychains": [
            "security list-keychains -s build.keychain login.keychain": "Searches these two from now on."
        ],
        "default-keychain": [
            "security default-keychain -s build.keychain": "Makes it the one in which items are stored."
        ],
        "login-keychain": ["security login-keychain": "Shows the path that scripts for macOS use."],
        "create-keychain": [
            "security create-keychain build.keychain": "Asks for a password, and makes a keychain file."
        ],
        "delete-keychain": ["security delete-keychain build.keychain": "Removes a keychain file with its items."],
        "lock-keychain": ["security lock-keychain -a": "Locks the keychain and all keychain files."],
        "unlock-keychain": ["security unlock-keychain build.keychain": "Asks for its password, and unlocks it."],
        "set-keychain-settings": [
            "security set-keychain-settings -u -t 3600 build.keychain": "Locks it after an hour without use."
        ],
        "set-keychain-password": ["security set-keychain-password build.keychain": "Asks for both passwords."],
        "show-keychain-info": ["security show-keychain-info build.keychain": "Shows when it locks itself."],
        "dump-keychain": ["security dump-keychain": "Lists all items with their attributes, without secrets."],
        "create-keypair": ["security create-keypair -a ec -s 256 signing": "Makes a key for elliptic curves."],
        "add-generic-password": [
            "security add-generic-password -s com.example.tool -a ada -w": "Asks for a secret twice, and stores it.",
            "security add-generic-password -U -s com.example.tool -a ada -w": "The same, also where there is an item.",
        ],
        "add-internet-password": [
            "security add-internet-password -s example.com -a ada -r htps -w": "Stores the password of a web site."
        ],
        "add-certificates": ["security add-certificates ca.pem": "Stores the certificates of a file."],
        "find-generic-password": [
            "security find-generic-password -s com.example.tool -a ada -w": "Writes the secret, and nothing else.",
            "security find-generic-password -l 'My label'": "Shows the attributes of an item.",
        ],
        "delete-generic-password": ["security delete-generic-password -s com.example.tool -a ada": "Deletes one item."],
        "set-generic-password-partition-list": [
            "security set-generic-password-partition-list -S apple: -s com.example.tool build.keychain":
                "Does what scripts for macOS ask for, in a keychain file."
        ],
        "find-internet-password": [
            "security find-internet-password -s example.com -a ada -w": "Writes the password, and nothing else."
        ],
        "delete-internet-password": ["security delete-internet-password -s example.com -a ada": "Deletes one item."],
        "set-internet-password-partition-list": [
            "security set-internet-password-partition-list -S apple: -s example.com build.keychain":
                "Does what scripts for macOS ask for, in a keychain file."
        ],
        "find-key": ["security find-key -t private -s": "Lists the private keys that can sign."],
        "set-key-partition-list": [
            "security set-key-partition-list -S apple-tool:,apple: build.keychain":
                "Lets programs use the keys, as scripts for continuous integration do."
        ],
        "find-certificate": ["security find-certificate -c 'Example CA' -p": "Writes a certificate as text (PEM)."],
        "find-identity": ["security find-identity -v -p codesigning": "Lists the valid identities to sign code with."],
        "delete-certificate": ["security delete-certificate -c 'Example CA'": "Deletes one by its name."],
        "delete-identity": ["security delete-identity -c 'Ada'": "Deletes a certificate and its key."],
        "set-identity-preference": [
            "security set-identity-preference -c 'Ada' -s https://example.com": "Chooses an identity for a service."
        ],
        "get-identity-preference": ["security get-identity-preference -s https://example.com -c": "Shows which it is."],
        "export": [
            "security export -t identities -f pkcs12 -o identities.p12":
                "Asks for a passphrase, and exports keys with it."
        ],
        "import": ["security import identity.p12": "Asks for the passphrase, and imports what the file has."],
        "cms": [
            "security cms -S -N ada@example.com -i letter -o letter.cms": "Signs a file.",
            "security cms -D -i letter.cms": "Shows what a message contains.",
        ],
        "add-trusted-cert": ["security add-trusted-cert -r trustRoot ca.pem": "Trusts a root, for this user."],
        "remove-trusted-cert": ["security remove-trusted-cert ca.pem": "Trusts it no longer."],
        "dump-trust-settings": ["security dump-trust-settings": "Lists what this user trusts."],
        "user-trust-settings-enable": ["security user-trust-settings-enable": "Shows whether a user's settings count."],
        "trust-settings-export": ["security trust-settings-export trust.plist": "Writes the settings to a file."],
        "trust-settings-import": [
            "security trust-settings-import trust.plist": "Replaces the settings by those of a file."
        ],
        "verify-cert": [
            "security verify-cert -c server.pem -p ssl -s example.com": "Judges the certificate of a server."
        ],
        "error": ["security error -25300": "Says what a status means."],
    ]
}
