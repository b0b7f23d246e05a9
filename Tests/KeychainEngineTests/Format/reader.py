# SPDX-License-Identifier: Apache-2.0
"""Reads stores and backups by Documentation/Format.md alone, and checks everything in them that can be checked.

reader.py REQUEST: a file of JSON with `store` (a folder) or `backup` (a file), and the secrets that open it: `passcode`,
`secret`, `passwords` (of applications), `recovery` (its key as text, in place of `passcode` and root key). `digests` is false for a store that was restored. Writes one object of JSON for each row to standard output.
"""
import hashlib
import hmac
import json
import os
import sqlite3
import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.keywrap import InvalidUnwrap, aes_key_unwrap

CLASSES = ["genp", "inet", "cert", "keys"]
LEVELS = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]
FORMATS = (2, 3)
KEY_FORMAT = 2
COMMON = ["agrp", "sync", "vwht", "tkid", "ggrp"]
PRIMARY_KEYS = {
    "genp": ["acct", "svce"],
    "inet": ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path"],
    "cert": ["ctyp", "issr", "slnr"],
    "keys": ["kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat"],
}
DATES = {"cdat", "mdat", "sdat", "edat"}


class Damaged(Exception):
    pass


def require(condition, what):
    if not condition:
        raise Damaged(what)


# Keys


def mac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def derive(label, key, context=b"", number=KEY_FORMAT):
    return mac(key, b"swift-keychain %d " % number + label.encode() + b"\0" + context + b"\1")


def unwrap(wrapped, key):
    try:
        return aes_key_unwrap(key, wrapped)
    except InvalidUnwrap as error:
        raise Damaged("a wrapped key") from error


def unseal(sealed, key, associated_data):
    try:
        return AESGCM(key).decrypt(sealed[:12], sealed[12:], associated_data)
    except InvalidTag as error:
        raise Damaged("sealed bytes") from error


def scrypt(password, salt, work):
    log2_cost, block_size, parallelization = struct.unpack("<BII", work)
    require(14 <= log2_cost <= 23 and 8 <= block_size <= 16, "the work of a password")
    require(128 * 2**log2_cost * block_size * parallelization <= 2**30, "the work of a password")
    return hashlib.scrypt(
        struct.pack("<Q", len(password)) + password,
        salt=salt, n=2**log2_cost, r=block_size, p=parallelization, maxmem=2**31 - 1, dklen=32,
    )


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        require(0 <= count <= len(self.data) - self.at, "a length")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, count):
        return int.from_bytes(self.take(count), "little")

    def rest(self):
        return self.take(len(self.data) - self.at)

    def end(self):
        require(self.at == len(self.data), "bytes after the end")


def password_key(header, passwords):
    """The key of the first password that is right; None without one."""
    reader = Reader(header)
    salt, work, check = reader.take(16), reader.take(9), reader.take(16)
    for password in passwords:
        key = scrypt(password, salt, work)
        if hmac.compare_digest(derive("password check", key)[:16], check):
            return key
    return None


class Keys:
    """The keys of a store or backup by (purpose, level): those that the given secrets open."""

    def __init__(self, identifier):
        self.identifier, self.keys, self.generations = identifier, {}, {}

    def unwrap_entry(self, purpose, level, generation, wrapped, slot_key):
        context = self.identifier + bytes([purpose, len(level)]) + level.encode() + struct.pack("<I", generation)
        self.keys[purpose, level] = unwrap(wrapped, derive("keybag wrapping", slot_key, context))

    def index(self):
        return self.keys[3, ""]


# The recovery key

BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def recovery_key(text):
    """The bytes of a recovery key's text: Bech32m with the prefix "skr"."""
    text = "".join(c for c in text.lower() if c not in "- ")
    values = [BECH32.index(c) for c in text.removeprefix("skr1")]
    require(len(values) == 32, "the length of a recovery key")
    checksum = 1
    for value in [ord(c) >> 5 for c in "skr"] + [0] + [ord(c) & 31 for c in "skr"] + values:
        top, checksum = checksum >> 25, (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            checksum ^= generator if top >> bit & 1 else 0
    require(checksum == 0x2BC830A3, "the checksum of a recovery key")
    bits = int("".join(f"{value:05b}" for value in values[:26]), 2)
    require(bits & 3 == 0, "the last bits of a recovery key")
    return (bits >> 2).to_bytes(16, "big")


class HPKE:
    """RFC 9180, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, with a preshared key; one message."""

    KEM = b"KEM" + struct.pack(">H", 0x0010)
    SUITE = b"HPKE" + struct.pack(">HHH", 0x0010, 0x0001, 0x0002)

    @staticmethod
    def extract(suite, salt, label, ikm):
        return mac(salt or bytes(32), b"HPKE-v1" + suite + label + ikm)

    @staticmethod
    def expand(suite, key, label, info, count):
        return mac(key, struct.pack(">H", count) + b"HPKE-v1" + suite + label + info + b"\1")[:count]

    @classmethod
    def open(cls, private, encapsulated, info, preshared, identifier, associated_data, sealed):
        public = private.public_key().public_numbers()
        public = b"\4" + public.x.to_bytes(32, "big") + public.y.to_bytes(32, "big")
        peer = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), encapsulated)
        shared = cls.extract(cls.KEM, b"", b"eae_prk", private.exchange(ec.ECDH(), peer))
        shared = cls.expand(cls.KEM, shared, b"shared_secret", encapsulated + public, 32)
        context = b"\1" + cls.extract(cls.SUITE, b"", b"psk_id_hash", identifier)
        context += cls.extract(cls.SUITE, b"", b"info_hash", info)
        secret = cls.extract(cls.SUITE, shared, b"secret", preshared)
        key = cls.expand(cls.SUITE, secret, b"key", context, 32)
        return unseal(cls.expand(cls.SUITE, secret, b"base_nonce", context, 12) + sealed, key, associated_data)


def open_recovery_slot(content, identifier, generations, has_passcode, recovery):
    """The keys that a recovery key opens: that of the root slot, then all others in their order."""
    slot = Reader(content)
    header, sealed, encapsulated, keys = slot.take(73), slot.take(92), slot.take(65), slot.rest()
    info = b"swift-keychain 2 recovery key\0"
    sealing = HKDF(hashes.SHA256(), 32, identifier, info).derive(recovery_key(recovery))
    secrets = unseal(sealed, sealing, identifier + header)
    private = ec.derive_private_key(int.from_bytes(secrets[:32], "big"), ec.SECP256R1())
    info = b"swift-keychain 2 recovery slot\0" + identifier
    bound = struct.pack("<IIB", *generations, has_passcode)
    opened = HPKE.open(private, encapsulated, info, secrets[32:], b"recovery", bound, keys)
    require(len(opened) % 32 == 0, "the keys of the recovery slot")
    return [opened[at:at + 32] for at in range(0, len(opened), 32)]


def open_keybag(data, root_key, passcode, recovery=None):
    reader = Reader(data[:-32])
    require(reader.take(4) == b"SKKB" and reader.number(2) >> 8 == KEY_FORMAT, "the mark or version of the keybag")
    keys = Keys(reader.take(16))
    keys.owner, keys.kind = reader.number(1), reader.number(1)
    require(keys.kind == 1, "the kind of the root key")
    generation, passcode_generation = reader.number(4), reader.number(4)
    slots = {}
    for _ in range(reader.number(1)):
        kind = reader.number(1)
        slots[kind] = reader.take(reader.number(2))
    entries = []
    for _ in range(reader.number(1)):
        purpose = reader.number(1)
        level = reader.take(reader.number(1)).decode()
        entries.append((purpose, level, reader.number(1), reader.number(4), reader.take(40)))
    reader.end()
    recovered = None
    if recovery is not None:
        generations = (generation, passcode_generation)
        recovered = open_recovery_slot(slots[3], keys.identifier, generations, 2 in slots, recovery)
        root_slot_key = recovered.pop(0)
    else:
        root_slot_key = unwrap(slots[1], derive("root key wrapping", root_key, keys.identifier))
    code = mac(derive("keybag authentication", root_slot_key, keys.identifier), data[:-32])
    require(hmac.compare_digest(code, data[-32:]), "the code of the keybag")
    slot_keys = {1: root_slot_key}
    if 2 in slots and passcode is not None:
        slot = Reader(slots[2])
        salt, work, wrapped = slot.take(32), slot.take(9), slot.take(40)
        slot.end()
        entangling = derive("passcode entangling", root_key, keys.identifier)
        slot_keys[2] = unwrap(wrapped, mac(entangling, scrypt(passcode, salt, work)))
    expected = [(3, "")] + [(p, level) for level in LEVELS for p in (1, 2) if 2 in slots or level != "akpu"]
    order = list(expected)
    if 3 in slots:
        expected.append((4, ""))
    require(list(slots) == [kind for kind in (1, 2, 3) if kind in slots], "the order of the slots")
    require(sorted(entry[:2] for entry in entries) == sorted(expected), "the keys of the keybag")
    for purpose, level, slot, entry_generation, wrapped in entries:
        behind_passcode = 2 in slots and (level not in ("", "dk", "dku") or purpose == 4)
        require(slot == (2 if behind_passcode else 1), "the slot of a key")
        require(entry_generation == (passcode_generation if level == "akpu" else generation), "a generation")
        keys.generations[level] = entry_generation
        if recovered is not None and purpose != 4:
            keys.keys[purpose, level] = recovered[order.index((purpose, level))]
        elif slot in slot_keys:
            keys.unwrap_entry(purpose, level, entry_generation, wrapped, slot_keys[slot])
    keys.destroyed_generation = passcode_generation - 1 if 2 not in slots and passcode_generation > 1 else None
    return keys


def open_backup_keybag(data, secret):
    reader = Reader(data[:-32])
    require(reader.take(4) == b"SKBK" and reader.number(2) >> 8 == KEY_FORMAT, "the mark or version of the backup")
    header = reader.take(41)
    keys = Keys(reader.take(16))
    key = password_key(header, [secret])
    require(key is not None, "the secret")
    code = mac(derive("backup authentication", key, keys.identifier), data[:-32])
    require(hmac.compare_digest(code, data[-32:]), "the code of the backup's keybag")
    keys.left_out = {}
    for _ in range(reader.number(1)):
        level = reader.take(reader.number(1)).decode()
        keys.left_out[level] = reader.number(8)
    keys.damaged, keys.row_code = reader.number(8), reader.take(32)
    for _ in range(reader.number(1)):
        purpose = reader.number(1)
        level = reader.take(reader.number(1)).decode()
        keys.unwrap_entry(purpose, level, 1, reader.take(40), key)
        keys.generations[level] = 1
    reader.end()
    require(set(keys.keys) == {(3, "")} | {(p, level) for p in (1, 2) for level in ("ak", "ck", "dk")}, "its keys")
    keys.row_key = derive("backup rows", key, keys.identifier)
    keys.file_key = derive("backup files", key, keys.identifier)
    return keys


# Rows


def row_format(row):
    """3, but 2 for a row that a store of format 2 had."""
    return 3 if "former" in row.keys() and row["former"] is None else 2


def row_tags(keys, item_class, row):
    """The tags that a row is bound to: those of its columns, and of a row of format 2 that of its digest, which is sealed."""
    tags = [(name[2:], row[name]) for name in row.keys() if name.startswith("t_") and row[name] is not None]
    if "former" in row.keys() and row["former"]:
        context = keys.identifier + item_class.encode() + row["uuid"] + row["version"]
        tags.append(("sha1", unseal(row["former"], derive("former digest", keys.index(), context), b"")))
    return sorted(tags)


def unpad(data):
    content = data.rstrip(b"\0")
    require(content[-1:] == b"\x80", "the padding of a secret")
    step = max(32, 2 ** (len(content).bit_length() - 5)) if len(content) >= 32 else 32
    require(len(data) == -(-len(content) // step) * step, "the length of a padded secret")
    return content[:-1]


def associated_data(part, identifier, item_class, row, tags):
    protection = row["protection"].encode()
    data = part + bytes([row_format(row)]) + identifier + item_class.encode() + row["uuid"]
    data += bytes([len(protection)]) + protection + struct.pack("<I", row["generation"]) + row["version"] + row["pk"]
    data += struct.pack("<H", len(tags))
    return data + b"".join(name.encode() + tag for name, tag in tags)


def metadata(data, number):
    reader = Reader(data)
    require(reader.number(1) == number, "the version of the metadata")
    has_secret, attributes = reader.number(1), {}
    for _ in range(reader.number(2)):
        name, kind = reader.take(4).decode(), reader.number(1)
        value = reader.take(reader.number(4))
        attributes[name] = (kind, value)
    reader.end()
    require(list(attributes) == sorted(attributes), "the order of the attributes")
    return has_secret == 1, attributes


AFFINITY = sqlite3.connect(":memory:")
AFFINITY.execute("CREATE TABLE affinity (value INTEGER)")


def scalar(kind, value):
    if kind == 1:
        return value.decode()
    if kind == 3:
        return struct.unpack("<q", value)[0]
    if kind == 4:
        return struct.unpack("<Q", value)[0]
    if kind in (5, 6):
        return struct.unpack("<d", value)[0]
    return value


def is_number(item_class, name):
    if name in ("sync", "sysb", "pcss", "ptcl", "port", "ctyp", "cenc"):
        return True
    if item_class == "keys":
        return name not in ("kcls", "klbl", "atag") and name in KEY_NUMBERS
    return item_class in ("genp", "inet") and name in ("crtr", "type", "invi", "nega", "scrp", "cusi")


KEY_NUMBERS = {
    "perm", "priv", "modi", "type", "crtr", "bsiz", "esiz", "sens", "asen", "extr", "next", "encr", "decr", "drve",
    "sign", "vrfy", "snrc", "vyrc", "wrap", "unwp",
}


def comparison_form(item_class, name, kind, value):
    value = scalar(kind, value)
    if name in DATES:
        return struct.pack("<d", value)
    if is_number(item_class, name) and not isinstance(value, bytes):
        if isinstance(value, int) and value > 2**63 - 1:
            value = float(value)
        AFFINITY.execute("DELETE FROM affinity")
        AFFINITY.execute("INSERT INTO affinity VALUES (?)", (value,))
        value = AFFINITY.execute("SELECT value FROM affinity").fetchone()[0]
        if isinstance(value, int):
            return b"i" + struct.pack("<q", value)
        if isinstance(value, float):
            return b"r" + struct.pack("<d", value)
        return b"t" + value.encode()
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        value = max(-2**31, min(2**31 - 1, int(value)))
    return value if isinstance(value, bytes) else struct.pack("<I", value & 0xFFFFFFFF)


def part(data):
    return struct.pack("<I", len(data)) + data


def check_tags(keys, item_class, row, tags, attributes):
    tag_key = derive("search tags", keys.index(), keys.identifier)
    prefix = part(item_class.encode())
    columns = [name[2:] for name in row.keys() if name.startswith("t_")]
    expected = [
        (name, mac(tag_key, prefix + part(name.encode()) + part(comparison_form(item_class, name, *attributes[name])))[:16])
        for name in sorted(columns) if name in attributes
    ]
    # That of the digest of a row of format 2 has no column any more.
    require([tag for tag in tags if tag[0] in columns] == expected, "a search tag")
    message = prefix + struct.pack("<I", 0)
    for name in PRIMARY_KEYS[item_class] + COMMON:
        message += b"\1" + part(comparison_form(item_class, name, *attributes[name])) if name in attributes else b"\0"
    require(mac(tag_key, message)[:16] == row["pk"], "the tag of the primary key")


def needs_password(attributes):
    """Whether bit 31 of the flags of the access control is set, and the row is no key of the enclave."""
    if "accc" not in attributes or attributes.get("tkid") == (1, b"com.apple.setoken"):
        return False
    flags = struct.unpack("<Q", attributes["accc"][1][:8])[0]
    return flags != 2**64 - 1 and flags >> 31 & 1 == 1


def open_row(keys, item_class, row, passwords, checks_digest):
    tags = row_tags(keys, item_class, row)
    level = row["protection"]
    result = {"class": item_class, "uuid": row["uuid"].hex(), "protection": level, "number": row["id"]}
    require(row["generation"] == keys.generations[level], "the generation of a row")
    if (1, level) not in keys.keys:
        return dict(result, state="locked")
    context = keys.identifier + item_class.encode() + row["uuid"] + row["version"]
    plain = {}
    for label, column, purpose in ((b"M", "metadata", 2), (b"S", "secret", 1)):
        key = derive("row " + column, keys.keys[purpose, level], context, row_format(row))
        plain[column] = unseal(row[column], key, associated_data(label, keys.identifier, item_class, row, tags))
    has_secret, attributes = metadata(plain["metadata"], row_format(row))
    require(scalar(*attributes["pdmn"]) == level, "the protection class")
    require(scalar(*attributes["tomb"]) == row["tombstone"], "the tombstone flag")
    check_tags(keys, item_class, row, tags, attributes)
    secret, state = plain["secret"] if row_format(row) == 2 else unpad(plain["secret"]), "open"
    if needs_password(attributes):
        layer = Reader(secret)
        header, salt, sealed = layer.take(41), layer.take(16), layer.rest()
        key = password_key(header, passwords)
        secret, state = None, "password"
        if key is not None:
            sealing_key = derive("item password", key, item_class.encode() + row["uuid"] + salt)
            secret, state = unseal(sealed, sealing_key, header), "open"
    if checks_digest and not row["tombstone"]:
        digested = b"" if needs_password(attributes) else secret
        digest = mac(derive("digests", keys.keys[1, level], keys.identifier), row["pk"] + digested)[:20]
        require(attributes["sha1"] == (2, digest), "the digest")
    result.update(state=state, tombstone=row["tombstone"] == 1)
    result["secret"] = secret.hex() if has_secret and secret is not None else None
    result["attributes"] = {name: {"kind": kind, "bytes": value.hex()} for name, (kind, value) in attributes.items()}
    return result


# Lookup attributes


def lookup_record(data):
    """The content type, and the pairs."""
    reader = Reader(data)
    require(reader.number(1) == 1, "the version of lookup attributes")
    content_type = reader.take(reader.number(4)).decode()
    pairs = [(reader.take(reader.number(4)), reader.take(reader.number(4))) for _ in range(reader.number(4))]
    reader.end()
    names = [name for name, _ in pairs]
    require(names == sorted(set(names)), "the order of lookup attributes")
    return content_type, pairs


def check_lists(database, keys, item_class, row, attributes):
    """Checks that what is listed of a row is what its metadata give, and nothing else."""
    tables = [name for name, in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()]
    faces = tags = []
    if item_class in ("genp", "inet") and f"lookup_{item_class}" in tables:
        number = (row["id"],)
        faces = database.execute(f"SELECT * FROM lookup_{item_class} WHERE id = ?", number).fetchall()
        tags = database.execute(f"SELECT tag FROM lookup_tags_{item_class} WHERE item = ? ORDER BY id", number).fetchall()
    if "lkup" not in attributes:
        return require(not faces and not tags, "a list of a row without lookup attributes")
    kind, record = attributes["lkup"]
    require(kind == 2 and len(faces) == 1 and faces[0]["version"] == row["version"], "the list of a row")
    _, pairs = lookup_record(record)
    tag_key = derive("lookup tags", keys.index(), keys.identifier)
    texts = [part(name) + part(value) for name, value in pairs]
    beginning = part(item_class.encode())
    require([tag["tag"] for tag in tags] == [mac(tag_key, b"P" + beginning + text)[:16] for text in texts], "a tag")
    whole = mac(tag_key, b"W" + beginning + struct.pack("<I", len(pairs)) + b"".join(texts))[:16]
    require(faces[0]["whole"] == whole, "the tag of all lookup attributes")
    level = row["protection"] if row["protection"] in ("dk", "dku") else "ck"
    context = keys.identifier + item_class.encode() + row["uuid"] + row["version"]
    key = derive("lookup face", keys.keys[2, level], context)
    face = Reader(unseal(faces[0]["face"], key, b"L\3" + context + whole))
    for name in ("cdat", "mdat"):
        require(face.take(8) == attributes[name][1], "a date of a face")
    label = face.take(face.number(4))
    require(label == (attributes["labl"][1] if "labl" in attributes else b""), "the label of a face")
    require(face.rest() == record, "the lookup attributes of a face")


def rows(database, item_class):
    database.row_factory = sqlite3.Row
    return database.execute(f"SELECT * FROM items_{item_class} ORDER BY id")


def read_store(folder, passcode, recovery, passwords, digests):
    root_key = None
    if recovery is None:
        with open(os.path.join(folder, "root.key"), "rb") as file:
            root_key = file.read()
        require(len(root_key) == 32, "the root key")
    database = sqlite3.connect(os.path.join(folder, "keychain.db"))
    require(database.execute("PRAGMA application_id").fetchone()[0] == 0x534B4348, "the mark of the store")
    require(database.execute("PRAGMA user_version").fetchone()[0] >> 8 & 0xFF in FORMATS, "the version of the store")
    keybag = database.execute("SELECT bytes FROM keybag WHERE id = 1").fetchone()[0]
    keys = open_keybag(keybag, root_key, passcode, recovery)
    require(keys.owner == 1, "the owner")
    for item_class in CLASSES:
        for row in rows(database, item_class):
            if row["protection"] == "akpu" and row["generation"] == keys.destroyed_generation:
                continue
            opened = open_row(keys, item_class, row, passwords, digests)
            if opened["state"] != "locked" and row["damage"] is None:
                attributes = {n: (a["kind"], bytes.fromhex(a["bytes"])) for n, a in opened["attributes"].items()}
                check_lists(database, keys, item_class, row, attributes)
            yield opened


def read_backup(path, secret, passwords):
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    require(database.execute("PRAGMA application_id").fetchone()[0] == 0x534B424B, "the mark of the backup")
    require(database.execute("PRAGMA user_version").fetchone()[0] >> 8 & 0xFF in FORMATS, "the version of the backup")
    keys = open_backup_keybag(database.execute("SELECT bytes FROM keybag WHERE id = 1").fetchone()[0], secret)
    code, count, opened = hmac.new(keys.row_key, b"", hashlib.sha256), 0, []
    for item_class in CLASSES:
        for row in rows(database, item_class):
            require(row["damage"] is None, "a row in quarantine")
            tags = row_tags(keys, item_class, row)
            code.update(associated_data(b"R", keys.identifier, item_class, row, tags))
            code.update(bytes([row["tombstone"]]) + struct.pack("<q", row["id"]))
            code.update(part(row["metadata"]) + part(row["secret"]))
            count += 1
            opened.append(open_row(keys, item_class, row, passwords, False))
    code.update(struct.pack("<Q", count))
    files = list(backup_files(database, keys))
    expected = code.digest()
    if files:
        of_files = hmac.new(keys.file_key, b"", hashlib.sha256)
        for bound, sealed, _ in files:
            of_files.update(bound + part(sealed))
        of_files.update(struct.pack("<Q", len(files)) + expected)
        expected = of_files.digest()
    require(hmac.compare_digest(expected, keys.row_code), "the code of the rows or files")
    return opened + [file for _, _, file in files]


def backup_files(database, keys):
    """What each keychain file of a backup is bound to, its sealed bytes, and what is in it."""
    if database.execute("PRAGMA user_version").fetchone()[0] & 0xFF < 1:
        return
    for number, sealed in database.execute("SELECT id, sealed FROM keychain_files ORDER BY id").fetchall():
        bound = b"F" + bytes([FORMATS[-1]]) + keys.identifier + struct.pack("<q", number)
        key = derive("backup file", keys.keys[(1, "ak")], keys.identifier + struct.pack("<q", number))
        plain = Reader(unpad(unseal(sealed, key, bound)))
        mode, name = plain.number(2), plain.take(plain.number(4)).decode()
        yield bound, sealed, {"file": name, "mode": mode, "bytes": plain.rest().hex()}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    passwords = [password.encode() for password in request.get("passwords", [])]
    if "store" in request:
        passcode = request.get("passcode")
        passcode = passcode.encode() if passcode is not None else None
        recovery = request.get("recovery")
        found = read_store(request["store"], passcode, recovery, passwords, request.get("digests", True))
    else:
        found = read_backup(request["backup"], request["secret"].encode(), passwords)
    for row in found:
        print(json.dumps(row, sort_keys=True))


if __name__ == "__main__":
    main()
