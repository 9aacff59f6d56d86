#!/usr/bin/env python3
"""A real Prometheus scrapes the exporter: `up` is 1, no scrape fails, and no sample is dropped."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter

SCRAPES = 8
CONFIGURATION = '''
global:
  scrape_interval: 1s
  scrape_timeout: 1s
scrape_configs:
  - job_name: drives
    static_configs:
      - targets: ['127.0.0.1:%d']
'''

# What Prometheus counts about samples that it did not take
DROPPED = (
    'prometheus_target_scrapes_sample_duplicate_timestamp_total', 'prometheus_target_scrapes_sample_out_of_bounds_total',
    'prometheus_target_scrapes_sample_out_of_order_total', 'prometheus_target_scrapes_exceeded_sample_limit_total',
    'prometheus_target_scrapes_exceeded_body_size_limit_total', 'prometheus_target_scrape_pool_exceeded_target_limit_total',
)


class Prometheus:
    def __init__(self, folder, target_port):
        self.port, self.log_path = exporter.free_port(), os.path.join(folder, 'log')
        configuration = os.path.join(folder, 'prometheus.yml')
        with open(configuration, 'w') as f:
            f.write(CONFIGURATION % target_port)
        self.log_file = open(self.log_path, 'wb')
        self.process = subprocess.Popen(
            [exporter.tool('prometheus'), '--config.file=' + configuration, '--storage.tsdb.path=' + os.path.join(folder, 'tsdb'),
             '--web.listen-address=127.0.0.1:%d' % self.port, '--log.level=debug'],
            stdout=self.log_file, stderr=subprocess.STDOUT, cwd=folder)

    def get(self, path):
        with urllib.request.urlopen('http://127.0.0.1:%d%s' % (self.port, path), timeout=10) as answer:
            return answer.read().decode('utf-8')

    def query(self, text):
        """[(labels, value)]; nothing while it does not answer yet"""
        try:
            document = json.loads(self.get('/api/v1/query?' + urllib.parse.urlencode({'query': text})))
        except OSError:
            return []
        return [(r['metric'], float(r['value'][1])) for r in document['data']['result']]

    def one(self, text):
        found = self.query(text)
        return found[0][1] if len(found) == 1 else None

    def log(self):
        with open(self.log_path, encoding='utf-8', errors='replace') as f:
            return f.read().splitlines()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log_file.close()


def try_it(daemon, prometheus):
    exporter.wait_for('%d scrapes' % SCRAPES,
                      lambda: (prometheus.one('count_over_time(up{job="drives"}[1m])') or 0) >= SCRAPES, pause_s=0.5)
    now = time.time()
    cases.check(prometheus.one('min_over_time(up{job="drives"}[1m])') == 1, 'up is 1, at every scrape')
    wanted = len(daemon.metrics().samples)
    scraped = prometheus.one('scrape_samples_scraped{job="drives"}')
    kept = prometheus.one('scrape_samples_post_metric_relabeling{job="drives"}')
    # A family about the exporter may come or go between two scrapes.
    cases.check(scraped and abs(scraped - wanted) <= 5, 'every sample is scraped', '%r of %d' % (scraped, wanted))
    cases.check(kept == scraped, 'every sample is kept', '%r of %r' % (kept, scraped))
    stored = prometheus.one('count({job="drives",__name__=~"drive_.*|process_.*"})')
    cases.check(stored and abs(stored - wanted) <= 5, 'every series can be asked for', '%r of %d' % (stored, wanted))

    own = {line.split()[0].split('{')[0]: float(line.split()[-1]) for line in prometheus.get('/metrics').splitlines()
           if line.startswith(DROPPED)}
    cases.check(own and not any(own.values()), 'Prometheus counts no dropped sample', own)
    said = [line for line in prometheus.log() if 'scrape' in line.lower() and ('level=warn' in line or 'level=error' in line)
            or 'Scrape failed' in line or 'Append failed' in line]
    cases.check(not said, 'and says nothing of a failed scrape', '\n'.join(said[:5]))

    document = json.loads(prometheus.get('/api/v1/targets'))
    errors = [t['lastError'] for t in document['data']['activeTargets'] if t['lastError']]
    cases.check(not errors, 'the target has no error', errors)
    metadata = json.loads(prometheus.get('/api/v1/metadata?metric=drive_temperature_celsius'))['data']
    cases.check(metadata.get('drive_temperature_celsius', [{}])[0].get('type') == 'gauge', 'type and help are known to it', metadata)
    seconds = prometheus.one('max_over_time(scrape_duration_seconds{job="drives"}[1m])')
    print('# slowest scrape %.1f ms, as Prometheus sees it; %d samples' % (1000 * seconds, wanted))
    polled = prometheus.query('drive_poll_timestamp_seconds')
    cases.check(polled and all(v <= now + 2 for _, v in polled), 'no value is from the future')


def main():
    with tempfile.TemporaryDirectory() as folder:
        with exporter.Exporter('--replay=' + exporter.CAPTURES, '--collector.ata-attributes', '--log.level=warn') as daemon:
            daemon.wait_for_visits(10)
            prometheus = Prometheus(folder, daemon.port)
            try:
                try_it(daemon, prometheus)
            finally:
                prometheus.stop()


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM), (exporter.tool('prometheus'), 'no prometheus'))
