"""Certificates for servers on loopback: an authority of a test's own, and what it signs."""

from __future__ import annotations

import datetime
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_DAY = datetime.timedelta(days=1)


class Authority:
    """Signs certificates; `file` (PEM) is what a client has to trust."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._key = folder, ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority of a test")])
        built = self._builder(self._name, self._key.public_key(), 0)
        constraints = x509.BasicConstraints(ca=True, path_length=0)
        signed = built.add_extension(constraints, critical=True).sign(self._key, hashes.SHA256())
        self.file = folder / "authority.pem"
        self.file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))

    def server(self, name: str, *, expired_days: int = 0) -> ssl.SSLContext:
        """What a server of that name needs; its certificate ended so many days ago, if any."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        built = self._builder(subject, key.public_key(), expired_days)
        names = x509.SubjectAlternativeName([x509.DNSName(name)])
        signed = built.add_extension(names, critical=False).sign(self._key, hashes.SHA256())
        file = self._folder / f"{name}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + signed.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, expired_days: int
    ) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        end = now - expired_days * _DAY if expired_days else now + _DAY
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(key)
        return (
            builder.serial_number(x509.random_serial_number())
            .not_valid_before(end - 3 * _DAY)
            .not_valid_after(end)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
