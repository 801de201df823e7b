"""The storm warning: a mail in text and HTML with a table attached."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP

_TEXT = """\
Dear all,

the coast guard expects a surge of about 1.1 m on top of the afternoon tide of Friday 14 November,
with wind from the north-west at force 10. High water is predicted for 16:33 UTC.

Please
- take in the buoy of station B before noon,
- move the boats to the upper slip,
- leave gauge 1 running, and put gauge 2 on its battery 🔋.

Nobody goes out on the mole after 16:00. The readings of last week are attached.

Ines Halloran
Director, Brannoch Head Coastal Observatory
"""

_HTML = """\
<html><body>
<p>Dear all,</p>
<p>the coast guard expects a surge of about <b>1.1&nbsp;m</b> on top of the afternoon tide of
<b>Friday 14&nbsp;November</b>, with wind from the north-west at force&nbsp;10.
High water is predicted for 16:33 UTC.</p>
<p>Please</p>
<ul><li>take in the buoy of station B before noon,</li><li>move the boats to the upper slip,</li>
<li>leave gauge 1 running, and put gauge 2 on its battery 🔋.</li></ul>
<p>Nobody goes out on the mole after 16:00. The readings of last week are attached.</p>
<p>Ines Halloran<br>Director, Brannoch Head Coastal Observatory</p>
</body></html>
"""

_READINGS = """\
station,day,mean level (m),water (°C)
A,2025-11-06,2.70,11.9
A,2025-11-07,2.74,11.8
B,2025-11-06,2.69,12.1
B,2025-11-07,2.73,11.9
"""


def storm_warning() -> bytes:
    """The mail as it stands on a server, with CRLF line ends."""
    mail = EmailMessage(policy=SMTP)
    mail["Subject"] = "Storm warning for Friday – gauges and boats 🌊"
    mail["From"] = "Ines Halloran <director@brannoch-head.example>"
    mail["To"] = "Everyone <staff@brannoch-head.example>"
    mail["Cc"] = "Yūko Aoki <aoki@brannoch-head.example>"
    mail["Date"] = "Wed, 12 Nov 2025 08:15:00 +0000"
    mail["Message-ID"] = "<storm-2025-11-12@brannoch-head.example>"
    mail.set_content(_TEXT, cte="quoted-printable")
    mail.add_alternative(_HTML, subtype="html", cte="quoted-printable")
    mail.add_attachment(_READINGS.encode(), maintype="text", subtype="csv", filename="readings-week-45.csv")
    for number, part in enumerate(part for part in mail.walk() if part.is_multipart()):
        part.set_boundary(f"=_brannoch_head_{number}")
    return mail.as_bytes()
