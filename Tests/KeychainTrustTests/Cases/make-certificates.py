#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes certificates.json: the certificates of the cases, by name, in base64. Needs python3-cryptography."""
import base64, datetime, ipaddress, json, pathlib, subprocess, tempfile

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509 import ocsp
from cryptography.x509.oid import ExtendedKeyUsageOID as Purpose, NameOID

START, END = datetime.datetime(2020, 1, 1), datetime.datetime(2120, 1, 1)
certificates, keys, made = {}, {}, {}


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)] if text else [])


def usage(*names):
    all_names = ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
                 "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"]
    return x509.KeyUsage(**{one: one in names for one in all_names})


def add(label, issuer=None, subject=None, ca=None, path=None, start=START, end=END, purposes=None, names=(), use=(),
        key=None, digest=hashes.SHA256(), extra=(), issuer_name=None, constraints=True):
    key = key or ec.generate_private_key(ec.SECP256R1())
    subject = name(label if subject is None else subject)
    signer = keys[issuer] if issuer else key
    builder = x509.CertificateBuilder().subject_name(subject).public_key(key.public_key())
    builder = builder.issuer_name(issuer_name or (made[issuer].subject if issuer else subject))
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(start).not_valid_after(end)
    if ca is not None and constraints:
        builder = builder.add_extension(x509.BasicConstraints(ca=ca, path_length=path), critical=True)
    if ca and not use:
        use = ("key_cert_sign", "crl_sign")
    if use:
        builder = builder.add_extension(usage(*use), critical=True)
    # A server names its purpose.
    if purposes is None:
        purposes = [Purpose.SERVER_AUTH] if names else []
    if purposes:
        builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    for extension, critical in extra:
        builder = builder.add_extension(extension, critical=critical)
    put(label, builder.sign(signer, digest), key)


def put(label, certificate, key):
    keys[label], made[label] = key, certificate
    certificates[label] = base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode()


def add_with_sha1(label, issuer, extensions):
    """By openssl(1): the library signs nothing with SHA-1 any more."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def pem(file, key):
            (folder / file).write_bytes(key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

        pem("key", key)
        (folder / "extensions").write_text(extensions)
        command = ["openssl", "x509", "-new", "-subj", f"/CN={label}", "-sha1", "-days", "36500",
                   "-extfile", "extensions", "-outform", "DER", "-out", "out"]
        if issuer:
            pem("ca-key", keys[issuer])
            (folder / "ca").write_bytes(made[issuer].public_bytes(serialization.Encoding.PEM))
            (folder / "public").write_bytes(key.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
            command += ["-CA", "ca", "-CAkey", "ca-key", "-force_pubkey", "public"]
        else:
            command += ["-key", "key"]
        subprocess.run(command, cwd=folder, check=True)
        put(label, x509.load_der_x509_certificate((folder / "out").read_bytes()), key)


dns = x509.DNSName
server = [dns("www.example.com"), dns("*.wild.example.com"), x509.IPAddress(ipaddress.ip_address("192.0.2.1")),
          x509.IPAddress(ipaddress.ip_address("2001:db8::1"))]

add("root", ca=True)
add("other root", ca=True)
add("issuer", "root", ca=True)
add("server", "issuer", names=server, purposes=[Purpose.SERVER_AUTH], use=["digital_signature"])
add("client", "issuer", purposes=[Purpose.CLIENT_AUTH], use=["digital_signature"])
add("any purpose", "issuer", names=server, purposes=[Purpose.ANY_EXTENDED_KEY_USAGE])
add("no purpose", "issuer", names=server, purposes=())
add("signing", "issuer", purposes=[Purpose.CODE_SIGNING], use=["digital_signature"])
add("signing, wrong use", "issuer", purposes=[Purpose.CODE_SIGNING], use=["key_encipherment"])
add("mail", "issuer", names=[x509.RFC822Name("a@example.com")], purposes=[Purpose.EMAIL_PROTECTION])
add("time", "issuer", purposes=[Purpose.TIME_STAMPING])
add("expired", "issuer", names=server, end=datetime.datetime(2021, 1, 1))
add("future", "issuer", names=server, start=datetime.datetime(2100, 1, 1))
add("common name", "issuer", subject="www.example.com", purposes=[Purpose.SERVER_AUTH])
add("self-signed", subject="self-signed", names=server, ca=False)
add("expired root", ca=True, end=datetime.datetime(2021, 1, 1))
add("below expired root", "expired root", names=server)
add("no authority", "root", ca=False)
add("below no authority", "no authority", names=server)
add("no constraints", "root", use=["key_cert_sign"])
add("below no constraints", "no constraints", names=server)
add("no signing key", "root", ca=True, use=["crl_sign"])
add("below no signing key", "no signing key", names=server)
add("last issuer", "root", ca=True, path=0)
add("issuer too many", "last issuer", ca=True)
add("below issuer too many", "issuer too many", names=server)
add("named issuer", "root", ca=True, extra=[(x509.NameConstraints([dns("example.com")], None), True)])
add("permitted name", "named issuer", names=[dns("www.example.com")])
add("excluded name", "named issuer", names=[dns("www.example.org")])
add("client issuer", "root", ca=True, purposes=[Purpose.CLIENT_AUTH])
add("server of client issuer", "client issuer", names=server, purposes=[Purpose.SERVER_AUTH])
add("unknown critical", "issuer", names=server,
    extra=[(x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), b"\x05\x00"), True)])
add("unknown", "issuer", names=server,
    extra=[(x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), b"\x05\x00"), False)])
small = rsa.generate_private_key(public_exponent=65537, key_size=1024)
add("1024 bits", "issuer", names=server, key=small)
big = rsa.generate_private_key(public_exponent=65537, key_size=2048)
add("rsa root", ca=True, key=big)
add_with_sha1("sha-1", "rsa root", "subjectAltName=DNS:www.example.com")
add_with_sha1("old root", None, "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign")
add("below old root", "old root", names=server)
add("forged", "root", names=server, issuer_name=made["issuer"].subject)

# What the policy of TLS asks for.
new = datetime.datetime(2019, 7, 1)
old = new - datetime.timedelta(seconds=1)
gated = [x509.ObjectIdentifier("1.3.6.1.4.1.311.10.3.3"), x509.ObjectIdentifier("2.16.840.1.113730.4.1")]
add("first without purpose", "issuer", names=server, purposes=(), start=new)
add("old without purpose", "issuer", names=server, purposes=(), start=old)
add("old, any purpose", "issuer", names=server, purposes=[Purpose.ANY_EXTENDED_KEY_USAGE], start=old)
add("old, microsoft gated", "issuer", names=server, purposes=gated[:1], start=old)
add("old, netscape gated", "issuer", names=server, purposes=gated[1:], start=old)
add("old client", "issuer", names=server, purposes=[Purpose.CLIENT_AUTH], start=old)
add("gated", "issuer", names=server, purposes=gated)
add("any issuer", "root", ca=True, purposes=[Purpose.ANY_EXTENDED_KEY_USAGE])
add("below any issuer", "any issuer", names=server)
add("gated issuer", "root", ca=True, purposes=gated)
add("below gated issuer", "gated issuer", names=server)
add("self-signed without purpose", names=server, ca=False, purposes=())
add("self-signed, any purpose", names=server, ca=False, purposes=[Purpose.ANY_EXTENDED_KEY_USAGE])
add("self-signed authority", names=server, ca=True)
add("authority as server", "issuer", names=server, ca=True)
add("path length in a server", "issuer", names=server, ca=True, path=0)
add("for data only", "issuer", names=server, use=["data_encipherment"])
add("client for data only", "issuer", purposes=[Purpose.CLIENT_AUTH], use=["data_encipherment"])
add("short root", ca=True, start=datetime.datetime(2025, 1, 1), end=datetime.datetime(2025, 6, 1))
add("below short root", "short root", names=server, start=datetime.datetime(2025, 1, 1),
    end=datetime.datetime(2025, 6, 1))
add("root without name", subject="", ca=True)
add("below root without name", "root without name", names=server)
add("issuer without name", "root", subject="", ca=True)
add("below issuer without name", "issuer without name", names=server)
add("server without name", "issuer", subject="", names=server)
add("excluding issuer", "root", ca=True, extra=[(x509.NameConstraints(None, [dns("bar.example.com")]), True)])
add("below excluding issuer", "excluding issuer", names=[dns("*.example.com"), dns("*.foo.example.com")])
add("permitting issuer", "root", ca=True, extra=[(x509.NameConstraints([dns("example.com")], None), True)])
add("below permitting issuer", "permitting issuer", names=[dns("*.example.com")])
add("underscores", "issuer", names=[dns("*.a_b.example.com"), dns("c_d.example.com")])

# Two authorities that issue each other, and one below.
keys["loop b"] = ec.generate_private_key(ec.SECP256R1())
add("loop a", "loop b", ca=True, issuer_name=name("loop b"))
add("loop b", "loop a", ca=True, key=keys["loop b"])
add("below loop", "loop a", names=server)

# The same authority, certified by two others.
shared = ec.generate_private_key(ec.SECP256R1())
add("cross by root", "root", subject="cross", ca=True, key=shared)
add("cross by other", "other root", subject="cross", ca=True, key=shared)
keys["cross"], made["cross"] = shared, made["cross by root"]
add("below cross", "cross", names=server)

# Answers about revocation.
def answer(label, certificate, signer, status, responder=None, by=None):
    revoked = status == ocsp.OCSPCertStatus.REVOKED
    builder = ocsp.OCSPResponseBuilder().add_response(
        cert=made[certificate], issuer=made["issuer"], algorithm=hashes.SHA1(), cert_status=status, this_update=START,
        next_update=datetime.datetime(2110, 1, 1), revocation_time=START if revoked else None, revocation_reason=None)
    builder = builder.responder_id(ocsp.OCSPResponderEncoding.NAME, made[responder or signer])
    if responder:
        builder = builder.certificates([made[responder]])
    answered = builder.sign(keys[responder or signer], hashes.SHA256())
    certificates[label] = base64.b64encode(answered.public_bytes(serialization.Encoding.DER)).decode()


add("responder", "issuer", purposes=[Purpose.OCSP_SIGNING], use=["digital_signature"])
add("false responder", "issuer", purposes=[Purpose.SERVER_AUTH], use=["digital_signature"])
add("revoked", "issuer", names=server)
good, revoked = ocsp.OCSPCertStatus.GOOD, ocsp.OCSPCertStatus.REVOKED
answer("answer: server is good", "server", "issuer", good)
answer("answer: revoked is revoked", "revoked", "issuer", revoked)
answer("answer of responder: revoked is revoked", "revoked", "issuer", revoked, "responder")
answer("answer of false responder: server is revoked", "server", "issuer", revoked, "false responder")

pathlib.Path(__file__).with_name("certificates.json").write_text(json.dumps(certificates, indent=1) + "\n")

# A chain of a hundred certificates, with one key.
certificates.clear()
key = ec.generate_private_key(ec.SECP256R1())
add("0", ca=True, key=key)
for number in range(1, 120):
    add(str(number), str(number - 1), ca=True, key=key)
pathlib.Path(__file__).with_name("long-chain.json").write_text(json.dumps(certificates, indent=1) + "\n")
