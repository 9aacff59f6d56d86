"""A host as the pages should show it: drives of all kinds out of tests/captures, one that has lived for ten months, one whose
names are hostile, one that has vanished.

    with showcase.Host() as daemon: ...
"""

import json
import os
import shutil
import tempfile
import time

import exporter
import life
import made

DAYS, SPEED = 300, 1500000
DAY_S = 86400
LIVED = 'hgst_ss200_sas'
OTHERS = (
    'hgst_he8_sas', 'hgst_ssd800mm_sas', 'hitachi_15k600_sas_asleep', 'hitachi_a7k1000_sata', 'hostile_strings', 'micron_5300_sata',
    'nvme_client', 'nvme_critical_warnings', 'nvme_dead', 'nvme_intel_p4510', 'nvme_two_namespaces', 'nvme_worn_out',
    'sas_dual_port', 'sas_hdd_failing', 'sas_reserved', 'sata_hdd_failing', 'sata_hdd_standby', 'seagate_1200_2_sas',
    'seagate_exos_x18_sata', 'seagate_ironwolf_110_sata', 'toshiba_px05_sas_4096', 'wdc_hc550_sata_4096',
)
GONE, SCRIPT = 'TEST-SAS-SSD_GONE0001', 'TEST-SAS-SSD_"><b>&x'
PLACE = ('devpath /sys/devices/pci0000:00/host0/target0:0:7/0:0:7:0/block/sdb',)


def read(name):
    with open(os.path.join(exporter.CAPTURES, name + '.capture'), encoding='utf-8') as f:
        return f.read()


def lived():
    """Ten months of five per cent of wear a month."""
    seed = life.Seed(read(LIVED))
    return seed.lived('sdaa', life.days(DAYS, lambda day: life.State(0.1 + day * 0.05 / 30, (20 + day) * 1e12, (day + 400) * DAY_S)))


def write(folder):
    for name in OTHERS:
        shutil.copy(os.path.join(exporter.CAPTURES, name + '.capture'), folder)
    texts = {
        'lived': lived(),
        'gone': made.capture('sdb', 'GONE0001', 0x5000c500000aa010, head=PLACE, tail=('@ %d' % (DAYS // 2 * DAY_S), 'absent')),
        'script': made.capture('sdab', '"><b>&x', 0x5000c500000bb010),
    }
    for name, text in texts.items():
        with open(os.path.join(folder, name + '.capture'), 'w', encoding='utf-8') as f:
            f.write(text)


def settled(daemon):
    """The drives, as the JSON has them, once the first visit of each is over."""
    def attempt():
        drives = json.loads(daemon.get('/api/v1/drives')[2])['drives']
        return drives if drives and all(d['health'] != 'starting' for d in drives) else None
    return exporter.wait_for('first visits', attempt)


class Host:
    """The exporter at the end of these months, when time passes as usual again."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        captures, self.state = (os.path.join(self.folder.name, name) for name in ('captures', 'state'))
        os.mkdir(captures)
        os.mkdir(self.state)
        write(captures)
        self.live(captures)
        self.daemon = exporter.Exporter('--replay=' + captures, '--replay.from=%dd' % (DAYS + 1), '--log.level=error',
                                        environment={'STATE_DIRECTORY': self.state})
        self.daemon.__enter__()
        self.daemon.wait_until('all of it', lambda m: m.value('drive_present', drive=GONE) == 0 and len(m.all('drive_up')) > 20)
        exporter.wait_for('what was written today', lambda: any('written_today_bytes' in d for d in settled(self.daemon)))
        return self.daemon

    def live(self, captures):
        began = time.time()
        with exporter.Exporter('--replay=' + captures, '--replay.speed=%d' % SPEED, '--log.level=error',
                               environment={'STATE_DIRECTORY': self.state}) as daemon:
            daemon.wait_until('the months are over', lambda m: m.value('drive_exporter_time_seconds') > began + DAYS * DAY_S, 120)

    def __exit__(self, *_):
        self.daemon.__exit__()
        self.folder.cleanup()
