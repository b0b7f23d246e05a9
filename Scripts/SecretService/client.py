# SPDX-License-Identifier: Apache-2.0
"""A program of the bus that calls the Secret Service itself, message by message."""

import hashlib
import hmac
import os
import secrets
import time

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7
from jeepney import DBusAddress, HeaderFields, MatchRule, MessageType, new_method_call
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.secrets"
SERVICE = "/org/freedesktop/secrets"
LOGIN = f"{SERVICE}/collection/login"
SESSION = f"{SERVICE}/collection/session"
DEFAULT = f"{SERVICE}/aliases/default"
PROPERTIES = "org.freedesktop.DBus.Properties"
SECRET = "org.freedesktop.Secret"
ERROR = f"{SECRET}.Error"
DBUS_ERROR = "org.freedesktop.DBus.Error"
DH = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

# The second Oakley group (RFC 2409, section 6.2).
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF",
    16,
)


class CallError(Exception):
    """An error that a call was answered with."""

    def __init__(self, name, text):
        super().__init__(f"{name}: {text}")
        self.name = name


class Client:
    def __init__(self, service):
        self.connection = open_dbus_connection(bus=service.environment["DBUS_SESSION_BUS_ADDRESS"], auth_timeout=20)
        self.signals = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.connection.close()

    # Calls

    def send(self, path, interface, member, types="", *values):
        """Sends a call, whose answer is awaited by `answer`."""
        message = new_method_call(DBusAddress(path, NAME, interface), member, types or None, values)
        message.header.serial = next(self.connection.outgoing_serial)
        self.connection.send(message, serial=message.header.serial)
        return message.header.serial

    def answer(self, serial, timeout=30):
        end = time.monotonic() + timeout
        while True:
            message = self.receive(end)
            kind, fields = message.header.message_type, message.header.fields
            if fields.get(HeaderFields.reply_serial) != serial:
                continue
            if kind == MessageType.error:
                raise CallError(fields[HeaderFields.error_name], message.body)
            return message.body[0] if len(message.body) == 1 else message.body

    def receive(self, end):
        message = self.connection.receive(timeout=max(0.0, end - time.monotonic()))
        if message.header.message_type == MessageType.signal:
            fields = message.header.fields
            self.signals.append((fields[HeaderFields.path], fields[HeaderFields.member], message.body))
        return message

    def call(self, path, interface, member, types="", *values):
        """Calls a method of a Secret Service interface ("Item"), or of a full name."""
        interface = interface if "." in interface else f"{SECRET}.{interface}"
        return self.answer(self.send(path, interface, member, types, *values))

    def driver(self, message):
        serial = next(self.connection.outgoing_serial)
        self.connection.send(message, serial=serial)
        return self.answer(serial)

    def get(self, path, interface, name):
        return self.call(path, PROPERTIES, "Get", "ss", f"{SECRET}.{interface}", name)[1]

    def get_all(self, path, interface):
        return self.call(path, PROPERTIES, "GetAll", "s", f"{SECRET}.{interface}")

    def set(self, path, interface, name, types, value):
        return self.call(path, PROPERTIES, "Set", "ssv", f"{SECRET}.{interface}", name, (types, value))

    # Signals

    def watch(self):
        """Has the bus deliver the signals of the service."""
        self.driver(message_bus.AddMatch(MatchRule(type="signal", sender=NAME)))

    def await_signal(self, member, path=None, seconds=10):
        """Waits for a signal, and returns what it carries."""
        end = time.monotonic() + seconds
        while True:
            for index, (place, name, body) in enumerate(self.signals):
                if name == member and path in (None, place):
                    del self.signals[: index + 1]
                    return body
            try:
                self.receive(end)
            except TimeoutError:
                raise TimeoutError(f"no signal {member} within {seconds} s") from None

    def ping(self):
        self.call(SERVICE, "org.freedesktop.DBus.Peer", "Ping")

    # Sessions and secrets

    def open_plain(self):
        return Coding(self.call(SERVICE, "Service", "OpenSession", "sv", "plain", ("s", ""))[1], None)

    def open_encrypted(self, padded=False):
        number = int.from_bytes(secrets.token_bytes(128), "big") % (PRIME - 3) + 2
        published = as_bytes(pow(2, number, PRIME))
        answered, path = self.exchange(published.rjust(128, b"\0") if padded else published)
        shared = pow(int.from_bytes(answered[1], "big"), number, PRIME).to_bytes(128, "big")
        return Coding(path, derive(shared))

    def exchange(self, published):
        return self.call(SERVICE, "Service", "OpenSession", "sv", DH, ("ay", published))

    def create(self, coding, attributes, secret=b"secret", label="label", replace=False, at=DEFAULT, kind="text/plain"):
        properties = {f"{SECRET}.Item.Label": ("s", label), f"{SECRET}.Item.Attributes": ("a{ss}", attributes)}
        return self.create_with(properties, coding.encode(secret, kind), replace, at)

    def create_with(self, properties, secret, replace=False, at=DEFAULT):
        item, prompt = self.call(at, "Collection", "CreateItem", "a{sv}(oayays)b", properties, secret, replace)
        if prompt != "/":
            raise CallError("a prompt", prompt)
        return item

    def secret(self, item, coding):
        """The secret of an item, and its content type."""
        return coding.decode(self.call(item, "Item", "GetSecret", "o", coding.path))

    def search(self, attributes):
        """The paths of what is found: open items, and locked ones."""
        return self.call(SERVICE, "Service", "SearchItems", "a{ss}", attributes)

    def items(self, path=LOGIN):
        return self.get(path, "Collection", "Items")


def as_bytes(number):
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def derive(shared):
    """HKDF with SHA-256, without a salt (RFC 5869): the 16 bytes of a session's key."""
    key = hmac.new(bytes(32), shared, hashlib.sha256).digest()
    return hmac.new(key, b"\x01", hashlib.sha256).digest()[:16]


class Coding:
    """How secrets are coded for one session."""

    def __init__(self, path, key):
        self.path, self.key = path, key

    def encode(self, secret, kind="text/plain"):
        if self.key is None:
            return (self.path, b"", secret, kind)
        start = os.urandom(16)
        padder = PKCS7(128).padder()
        return (self.path, start, self.encrypt(start, padder.update(secret) + padder.finalize()), kind)

    def encrypt(self, start, text):
        encryptor = Cipher(algorithms.AES(self.key), modes.CBC(start)).encryptor()
        return encryptor.update(text) + encryptor.finalize()

    def decode(self, coded):
        session, start, text, kind = coded
        if session != self.path:
            raise ValueError(f"it is coded for {session}")
        if self.key is None:
            return bytes(text), kind
        decryptor = Cipher(algorithms.AES(self.key), modes.CBC(bytes(start))).decryptor()
        unpadder = PKCS7(128).unpadder()
        padded = decryptor.update(bytes(text)) + decryptor.finalize()
        return unpadder.update(padded) + unpadder.finalize(), kind
