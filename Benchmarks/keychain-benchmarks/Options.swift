// SPDX-License-Identifier: Apache-2.0

/// The command line.
struct Options {
    /// How many items the stores hold.
    var sizes = [100, 10_000]
    /// How often each subject gets its turn.
    var rounds = 15
    /// How many durable operations, and how many reads, make a turn.
    var durableBlock = 10
    var readBlock = 100
    /// Where the stores lie; a disk, unless only the processor is to be measured.
    var directory = "/var/tmp"
    var profile: ProfileRun?
    /// Whether the device is measured instead of the operations.
    var measuresDevice = false
    /// Whether lookups of identities are measured instead of the operations.
    var measuresIdentities = false
    /// Whether explanations are measured instead of the operations.
    var measuresExplanations = false
    /// Whether keys are measured instead of the operations.
    var measuresKeys = false

    /// Whether a store with a million items is measured instead of the operations.
    var measuresMillion = false

    /// Whether devices for tests are measured instead of the operations.
    var measuresTesting = false

    /// Whether the daemon is measured instead of the operations.
    var measuresDaemon = false

    /// Whether the Secret Service is measured instead of the operations.
    var measuresSecretService = false

    /// Whether commands are measured instead of the operations.
    var measuresCommands = false

    static let help = """
        usage: keychain-benchmarks [--quick | --full] [--device | --keys | --identities | --explanations | --testing | --million | --daemon | --secret-service | --commands] [--directory DIR] [--profile SUBJECT OPERATION COUNT] [--size N]

        --quick      100 and 10,000 items, less than a minute on an idle machine (default)
        --full       100, 10,000 and 100,000 items, more rounds
        --device     what an unlock and a locked answer cost, with 10,000 items (with --full, 100,000)
        --identities what it costs to find an identity by issuer among 1,000 and 10,000 certificates
        --explanations  what it costs to explain a read that finds nothing among 10,000 items
        --keys       what a signature through SecKey costs beside the library's own
        --testing    what a virtual device with one item costs a test
        --million    opening, adds and reads with 1,000,000 items; with --size, with N
        --daemon     what keychaind costs beside a ping-pong and raw SQLite; it lies beside this program
        --secret-service  what calls over D-Bus cost beside a ping; keychaind lies beside this program
        --commands   what commands of keychainctl cost as whole processes, with 10,000 items; it lies beside this program
        --size N     stores of N items only
        --directory  where the scratch stores are made (default /var/tmp, which is on a disk)
        --profile    runs one operation over and over, for perf and callgrind;
                     SUBJECT is raw, sealed, engine or secitem; OPERATION is add, read, label, account, update, delete
        """

    /// - Returns: `nil` when only help is wanted.
    init?(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw Failure("\(option) needs a value") }
            return value
        }
        func number(of option: String) throws -> Int {
            guard let number = Int(try value(of: option)), number > 0 else { throw Failure("\(option) needs a number") }
            return number
        }
        while let option = rest.popFirst() {
            switch option {
            case "--quick": break
            case "--full": (sizes, rounds) = ([100, 10_000, 100_000], 40)
            case "--device": measuresDevice = true
            case "--identities": measuresIdentities = true
            case "--explanations": (measuresExplanations, sizes) = (true, [10_000])
            case "--testing": measuresTesting = true
            case "--keys": measuresKeys = true
            case "--daemon": measuresDaemon = true
            case "--secret-service": measuresSecretService = true
            case "--commands": (measuresCommands, sizes) = (true, [10_000])
            case "--million": (measuresMillion, sizes) = (true, [1_000_000])
            case "--size": sizes = [try number(of: option)]
            case "--directory": directory = try value(of: option)
            case "--profile":
                profile = try ProfileRun(
                    subject: try value(of: option),
                    operation: try value(of: option),
                    count: try number(of: option)
                )
            case "--help", "-h": return nil
            default: throw Failure("unknown option \(option)\n\(Self.help)")
            }
        }
    }
}
