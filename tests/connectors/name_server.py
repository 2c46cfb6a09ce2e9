"""A name server on loopback that says what a test tells it, over UDP (RFC 1035)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import cast

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

#: Instead of records: what is answered for the name as a whole.
NOTHING_OF_THAT_NAME = "NXDOMAIN"
BROKEN = "SERVFAIL"
SILENT = "silence"


class NameServer(asyncio.DatagramProtocol):
    """Answers from `zones`: a domain to its records by type, or to one of the words above."""

    def __init__(self, zones: dict[str, dict[str, list[str]] | str]) -> None:
        self.zones = zones
        self.asked: list[str] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answer one question."""
        query = dns.message.from_wire(data)
        question = query.question[0]
        name, kind = question.name.to_text(omit_final_dot=True), dns.rdatatype.to_text(question.rdtype)
        self.asked.append(f"{name} {kind}")
        zone = self.zones.get(name, NOTHING_OF_THAT_NAME)
        if zone == SILENT:
            return
        reply = dns.message.make_response(query)
        reply.flags |= dns.flags.RA
        if isinstance(zone, str):
            reply.set_rcode(dns.rcode.from_text(zone))
        elif records := zone.get(kind):
            reply.answer.append(dns.rrset.from_text(question.name, 300, "IN", kind, *records))
        self._transport.sendto(reply.to_wire(), addr)


@contextlib.asynccontextmanager
async def name_server(zones: dict[str, dict[str, list[str]] | str]) -> AsyncIterator[tuple[NameServer, str]]:
    """Run one, and yield it with its address."""
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(lambda: NameServer(zones), local_addr=("127.0.0.1", 0))
    try:
        yield server, f"127.0.0.1:{transport.get_extra_info('sockname')[1]}"
    finally:
        transport.close()
