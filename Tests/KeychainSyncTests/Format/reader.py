# SPDX-License-Identifier: Apache-2.0
"""Reads the test vectors of synchronization by Documentation/SyncFormat.md alone, and checks everything in them.

reader.py VECTORS: a file with an object of JSON on each line. Fails at the first that is wrong; else says how many there are.
"""
import hashlib
import hmac
import json
import struct
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.keywrap import aes_key_unwrap
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import mlkem

PRIMARY_KEYS = {"genp": [b"acct", b"svce", b"agrp", b"vwht", b"tkid", b"ggrp"]}
LOCAL = {b"sync", b"sha1", b"UUID", b"accc", b"sysb", b"clip", b"tomb"}
ZEROS = bytes(32)


class Wrong(Exception):
    pass


def require(condition, what):
    if not condition:
        raise Wrong(what)


# What all structures share


def information(purpose, context=b""):
    return b"swift-keychain sync 0 " + purpose.encode() + b"\0" + context


def sha(content):
    return hashlib.sha256(content).digest()


def labelled(purpose, content):
    return sha(information(purpose, content))


def expand(key, purpose, context=b""):
    return hmac.new(key, information(purpose, context) + b"\1", hashlib.sha256).digest()


class Reader:
    def __init__(self, content, magic=None):
        self.content, self.at = content, 0
        if magic:
            require(self.take(4) == magic, "magic bytes")
            require(self.take(1) == b"\0", "version")

    def take(self, count):
        require(self.at + count <= len(self.content), "too short")
        self.at += count
        return self.content[self.at - count:self.at]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def date(self):
        value = struct.unpack("<d", self.take(8))[0]
        require(abs(value) <= 1e12, "date")
        return value

    def block(self):
        return self.take(self.number(4))

    def rest(self):
        return self.take(len(self.content) - self.at)

    def end(self):
        require(self.at == len(self.content), "too long")


def unpad(content, step):
    require(len(content) % step == 0, "padding")
    stripped = content.rstrip(b"\0")
    require(stripped.endswith(b"\x80"), "padding")
    return stripped[:-1]


def unseal(sealed, key, associated):
    return AESGCM(key).decrypt(sealed[:12], sealed[12:], associated)


# Keys of members


class XWing:
    """draft-connolly-cfrg-xwing-kem."""

    def __init__(self, seed):
        stream = hashlib.shake_256(seed).digest(96)
        public, self.secret = mlkem.keys(stream[:32], stream[32:64])
        self.x25519 = X25519PrivateKey.from_private_bytes(stream[64:])
        self.x25519_public = self.x25519.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.public = public + self.x25519_public

    def decapsulate(self, encapsulation):
        first = mlkem.decapsulate(self.secret, encapsulation[:1088])
        point = encapsulation[1088:]
        second = self.x25519.exchange(X25519PublicKey.from_public_bytes(point))
        return hashlib.sha3_256(first + second + point + self.x25519_public + b"\\.//^\\").digest()


def hpke_open(private, encapsulation, info, associated, sealed):
    """RFC 9180, base mode, KEM 0x647a, HKDF-SHA256, AES-256-GCM."""
    suite = b"HPKE" + struct.pack(">HHH", 0x647A, 1, 2)

    def extract(salt, label, content):
        return hmac.new(salt or ZEROS, b"HPKE-v1" + suite + label + content, hashlib.sha256).digest()

    def expanded(key, label, context, length):
        message = struct.pack(">H", length) + b"HPKE-v1" + suite + label + context
        return hmac.new(key, message + b"\1", hashlib.sha256).digest()[:length]

    context = b"\0" + extract(b"", b"psk_id_hash", b"") + extract(b"", b"info_hash", info)
    secret = extract(private.decapsulate(encapsulation), b"secret", b"")
    key, nonce = expanded(secret, b"key", context, 32), expanded(secret, b"base_nonce", context, 12)
    return AESGCM(key).decrypt(nonce, sealed, associated)


def verify(key, purpose, body, signature):
    Ed25519PublicKey.from_public_bytes(key).verify(signature, information(purpose, body))


def member_identifier(keys):
    return labelled("member identifier", keys)[:16]


class Member:
    def __init__(self, reader, circle):
        start = reader.at
        self.role = reader.number(1)
        require(self.role <= 2, "role")
        self.zones = [reader.take(16) for _ in range(reader.number(2))]
        require(self.zones == sorted(set(self.zones)) and bool(self.zones) == (self.role == 1), "zones")
        self.keys = reader.take(32 + 1216)
        statement = circle + reader.content[start:reader.at]
        verify(self.keys[:32], "member proof", statement, reader.take(64))
        self.identifier = member_identifier(self.keys)

    def reads(self, zone):
        return self.role != 1 or zone in self.zones


class Founder(Member):
    def __init__(self, keys):
        self.role, self.zones, self.keys, self.identifier = 0, [], keys, member_identifier(keys)


# Keys of zones


class Keys:
    def __init__(self, row, name="keys"):
        epoch, self.a, self.c, self.slots = [bytes.fromhex(text) for text in row[name]]
        self.epoch = int.from_bytes(epoch, "little")

    def commitments(self, place):
        return [
            expand(key, "commitment", place + struct.pack("<I", epoch) + bytes([index]))
            for index, (key, epoch) in enumerate([(self.a, self.epoch), (self.c, self.epoch), (self.slots, 0)])
        ]

    def slot(self, item_class, attributes):
        message = struct.pack("<I", 4) + item_class.encode() + struct.pack("<I", 0)
        for name in PRIMARY_KEYS[item_class]:
            if name not in attributes:
                message += b"\0"
                continue
            content = attributes[name][1]
            message += b"\1" + struct.pack("<I", len(content)) + content
        return hmac.new(self.slots, message, hashlib.sha256).digest()[:16]


class Epoch:
    def __init__(self, reader):
        self.zone, self.number = reader.take(16), reader.number(4)
        self.commitments = [reader.take(32) for _ in range(3)]
        self.earlier = reader.take(80)
        self.recipients, self.root = reader.number(4), reader.take(32)
        self.boxes = [(reader.take(16), reader.take(32)) for _ in range(reader.number(2))]
        require([b[0] for b in self.boxes] == sorted({b[0] for b in self.boxes}), "order of boxes")
        require((self.number == 1) == (self.earlier == bytes(80)), "earlier keys")


def open_text(reader, keys, circle):
    zone, epoch, salt = reader.take(16), reader.take(4), reader.take(16)
    sealed, context = reader.block(), circle + zone + epoch + salt
    if keys is None or keys.epoch != int.from_bytes(epoch, "little"):
        return None
    return unpad(unseal(sealed, expand(keys.c, "text", context), information("text", context)), 64)


# Records


def attribute_list(content):
    reader, attributes, names = Reader(content), {}, []
    for _ in range(reader.number(2)):
        name, kind, value = reader.take(4), reader.number(1), reader.block()
        require(1 <= kind <= 6 and name not in LOCAL, "attribute")
        names.append(name)
        attributes[name] = (kind, value)
    reader.end()
    require(names == sorted(set(names)), "order of attributes")
    return attributes


def open_record(record, slot, keys, place):
    reader = Reader(record, b"SKSR")
    epoch, level, salt = reader.number(4), reader.take(1), reader.take(16)
    require(epoch == keys.epoch and level in b"AC", "epoch or class")
    key = expand(keys.a if level == b"A" else keys.c, "record", place + slot + salt)
    plain = Reader(unpad(unseal(record[26:], key, information("record", place + slot + record[:26])), 256))
    kind, item_class = plain.number(1), plain.take(4).decode()
    date, digest = plain.take(8), plain.take(32)
    if kind == 1:
        plain.end()
        require(digest == labelled("tombstone digest", slot + date), "digest")
        return digest, None, b""
    encoded = plain.block()
    flag, secret = plain.take(1), plain.block()
    plain.end()
    attributes = attribute_list(encoded)
    message = item_class.encode() + struct.pack("<I", len(encoded)) + encoded + flag + secret
    require(digest == labelled("item digest", message), "digest")
    require(attributes[b"mdat"] == (6, date), "date")
    require((attributes[b"pdmn"][1] == b"ak") == (level == b"A"), "level")
    require(keys.slot(item_class, attributes) == slot, "slot")
    return digest, attributes, secret


# Text of keys


def bech32m(text):
    alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    text = "".join(text.split()).replace("-", "").lower()
    require(text.startswith("skr1"), "prefix")
    values = [alphabet.index(character) for character in text[4:]]
    total = 1
    for value in [ord(x) >> 5 for x in "skr"] + [0] + [ord(x) & 31 for x in "skr"] + values:
        top, total = total >> 25, (total & 0x1FFFFFF) << 5 ^ value
        for i, part in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            total ^= part if top >> i & 1 else 0
    require(total == 0x2BC830A3, "checksum")
    number = 0
    for value in values[:26]:
        number = number << 5 | value
    return (number >> 2).to_bytes(16, "big")


# The log and the commits


class Log:
    def __init__(self, entries, circle):
        self.circle, self.members, self.zones, self.hashes = circle, {}, {}, []
        self.authors = []
        for entry in entries:
            self.append(entry)

    def append(self, entry):
        reader = Reader(entry, b"SKSM")
        circle, sequence, previous = reader.take(16), reader.number(8), reader.take(32)
        author, _ = reader.take(16), reader.date()
        require(circle == self.circle and sequence == len(self.hashes), "place or number of an entry")
        require(previous == (self.hashes[-1] if self.hashes else ZEROS), "hash of an entry")
        kind = reader.number(1)
        if kind == 0:
            reader.take(16)
            founder = Founder(reader.take(32 + 1216))
            require(not self.hashes and founder.identifier == author, "founder")
            body = entry[:5] + bytes(16) + entry[21:-64]
            require(labelled("circle identifier", body)[:16] == circle, "identifier of the circle")
            self.members[author] = founder
        signer = self.members[author]
        require(signer.role == 0, "author")
        if kind == 6:
            epoch = Epoch(reader)
            self.check(epoch, 1)
            open_text(reader, None, circle)
        elif kind == 3:
            member = Member(reader, circle)
            require(member.role == 2, "role")
            self.members = {k: v for k, v in self.members.items() if v.role != 2}
            self.members[member.identifier] = member
            for _ in range(reader.number(2)):
                epoch = Epoch(reader)
                self.check(epoch, self.zones[epoch.zone].number + 1)
        elif kind != 0:
            raise Wrong("an entry that is in no vector")
        signature = reader.take(64)
        reader.end()
        verify(signer.keys[:32], "membership entry", entry[:-64], signature)
        self.hashes.append(sha(entry))

    def check(self, epoch, number):
        require(epoch.number == number, "epoch")
        readers = sorted(m.identifier for m in self.members.values() if m.reads(epoch.zone))
        require([b[0] for b in epoch.boxes] == readers, "boxes")
        self.zones[epoch.zone] = epoch


def tree_root(records):
    buckets = []
    for first in range(256):
        slots = sorted(slot for slot in records if slot[0] == first)
        buckets.append(sha(b"\0" + b"".join(slot + records[slot] for slot in slots)))
    return sha(b"\1" + b"".join(buckets))


def read_commits(commits, log, place):
    number, last, checkpoint, records = 0, ZEROS, ZEROS, {}
    for commit in commits:
        reader = Reader(commit, b"SKSC")
        require(reader.take(32) == place, "place of a commit")
        require(reader.number(8) == number + 1, "number")
        require(reader.take(32) == last and reader.take(32) == checkpoint, "hash before")
        sequence = reader.number(8)
        require(reader.take(32) == log.hashes[sequence], "membership")
        require(reader.number(4) == log.zones[place[16:]].number, "epoch")
        author, _, root = log.members[reader.take(16)], reader.date(), reader.take(32)
        require(author.role != 2, "author")
        for _ in range(reader.number(2)):
            slot, digest = reader.take(16), reader.take(32)
            records.pop(slot, None)
            if digest != ZEROS:
                records[slot] = digest
        verify(author.keys[:32], "commit", commit[:-64], reader.take(64))
        reader.end()
        require(tree_root(records) == root, "root")
        number, last = number + 1, sha(commit)
        checkpoint = last if number % 1000 == 0 else checkpoint
    return number, last, records


# The rows


def one(row, name):
    return bytes.fromhex(row[name][0])


def check_member(row):
    signing = Ed25519PrivateKey.from_private_bytes(one(row, "signingSeed"))
    keys = signing.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) + XWing(one(row, "receivingSeed")).public
    require(keys == one(row, "bytes"), "keys")
    require(member_identifier(keys) == one(row, "identifier"), "identifier")


def check_record(row):
    keys, place, record = Keys(row), one(row, "circle") + one(row, "zone"), one(row, "bytes")
    require(sha(record) == one(row, "hash"), "hash")
    digest, attributes, secret = open_record(record, one(row, "slot"), keys, place)
    require(digest == one(row, "digest") and secret == one(row, "secret"), "content")
    require((attributes is None) == (row["tombstone"] == ["1"]), "kind")


def check_recovery(row):
    key = bech32m(row["text"][0])
    signing = Ed25519PrivateKey.from_private_bytes(expand(key, "recovery signing"))
    keys = signing.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    keys += XWing(expand(key, "recovery receiving")).public
    require(member_identifier(keys) == one(row, "identifier"), "identifier")
    locator = expand(key, "recovery locator")[:16]
    require(locator == one(row, "locator"), "locator")
    bytes_ = one(row, "bytes")
    associated = information("recovery location", locator + bytes_[:5])
    require(bytes_[:5] == b"SKSL\0", "magic bytes")
    require(unseal(bytes_[5:], expand(key, "recovery location"), associated) == one(row, "circle"), "circle")


def check_text(row):
    require(open_text(Reader(one(row, "bytes")), Keys(row), one(row, "circle")) == one(row, "content"), "text")


def check_invitation(row):
    code = bech32m(row["text"][0])
    identifier = expand(code, "invitation identifier")[:16]
    require(identifier == one(row, "identifier"), "identifier")

    def opened(name, magic, purpose):
        content = one(row, name)
        require(content[:5] == magic + b"\0", "magic bytes")
        return Reader(unseal(content[5:], expand(code, purpose), information("invitation", identifier + content[:5])))

    offer = opened("bytes", b"SKSI", "invitation offer")
    require(offer.take(16) == one(row, "circle"), "circle")
    _, expiry, role = offer.take(16), offer.date(), offer.number(1)
    zones = [offer.take(16) for _ in range(offer.number(2))]
    require(expiry == 1000 and role == 0 and zones == [], "offer")
    sequence, _ = offer.number(8), offer.take(32)
    anchors = [(offer.take(16), offer.number(8), offer.take(32), offer.take(32)) for _ in range(offer.number(2))]
    require(sequence == 0 and anchors[0][1:] == (7, sha(b"\1"), sha(b"\2")), "anchor")
    offer.end()
    request = opened("request", b"SKSJ", "invitation request")
    member = Member(request, one(row, "circle"))
    require(member.identifier == one(row, "member") and request.block().decode() == row["name"][0], "request")
    request.end()


def check_chain(row):
    circle, zone, keys = one(row, "circle"), one(row, "zone"), Keys(row)
    place = circle + zone
    log = Log([bytes.fromhex(text) for text in row["freshEntries"]], circle)
    number, last, records = read_commits([bytes.fromhex(text) for text in row["freshCommits"]], log, place)
    require(tree_root(records) == one(row, "root"), "root")
    for slot, text in zip(sorted(records), row["records"]):
        record = bytes.fromhex(text)
        require(sha(record) == records[slot], "hash of a record")
        open_record(record, slot, keys, place)
    epoch = log.zones[zone]
    require(keys.commitments(place) == epoch.commitments, "commitments")
    context = place + struct.pack("<I", epoch.number)
    former = Keys(row, "formerKeys")
    for key, part, expected in [(keys.a, epoch.earlier[:40], former.a), (keys.c, epoch.earlier[40:], former.c)]:
        require(aes_key_unwrap(expand(key, "earlier key", context), part) == expected, "earlier key")
    box, private = one(row, "freshBox"), XWing(one(row, "receivingSeed"))
    founder = next(member for member in log.members.values() if member.role == 0)
    require((founder.identifier, sha(box)) in epoch.boxes, "hash of a box")
    info = information("box", context + founder.identifier + founder.identifier)
    require(box[:5] == b"SKSB\0", "magic bytes")
    opened = hpke_open(private, box[5:1125], info, box[:5], box[1125:])
    require(opened == keys.a + keys.c + keys.slots, "keys of a box")
    beacon = Reader(one(row, "freshBeacon"), b"SKSD")
    require(beacon.take(16) == circle and beacon.take(16) == founder.identifier and beacon.date() == 1, "beacon")
    require(beacon.number(1) == 0 and beacon.number(8) == len(log.hashes) - 1, "beacon")
    require(beacon.take(32) == log.hashes[-1] and beacon.take(16) == zone, "beacon")
    require(beacon.number(8) == number and beacon.take(32) == last and beacon.take(32) == one(row, "root"), "beacon")
    verify(founder.keys[:32], "beacon", beacon.content[:beacon.at], beacon.take(64))
    beacon.end()


CHECKS = {
    "member": check_member, "record": check_record, "recovery": check_recovery, "text": check_text,
    "invitation": check_invitation, "chain": check_chain,
}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    for row in rows:
        CHECKS[row["kind"][0]](row)
    print(len(rows), "vectors")


if __name__ == "__main__":
    main()
