#!/usr/bin/env python3
"""The pages in a real browser: Chromium without a screen, as a desktop and as a phone, light and dark. What a person needs is
measured there: contrast, headings, labels, the order of the keyboard, nothing that sticks out. SCREENSHOTS=FOLDER keeps pictures."""

import importlib.util
import json
import os
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

if not importlib.util.find_spec('selenium') and os.access('/usr/bin/python3', os.X_OK) and not os.environ.get('BROWSER_TEST_AGAIN'):
    os.environ['BROWSER_TEST_AGAIN'] = '1'      # Debian's package is of Debian's Python
    os.execv('/usr/bin/python3', ['/usr/bin/python3', *sys.argv])

import cases
import exporter
import showcase

SIZES = {'desktop': (1280, 900), 'phone': (390, 844), 'small': (360, 640)}

# Contrast as WCAG 2.2 reckons it (1.4.3): of every text with what is painted behind it.
CONTRAST = '''
function luminance(c) {
  const [r, g, b] = c.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function parse(text) { const m = text.match(/[\\d.]+/g).map(Number); return {rgb: m.slice(0, 3), alpha: m.length > 3 ? m[3] : 1}; }
function behind(e) {
  for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.alpha === 1) return c.rgb;
  }
  return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
}
const bad = [];
let n = 0;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, e = node.parentElement;
  if (!node.data.trim() || e.closest('style, title, .heard, .skip')) continue;
  const style = getComputedStyle(e), svg = e.closest('svg');
  const front = parse(svg ? style.fill : style.color).rgb, size = parseFloat(style.fontSize);
  const l = [luminance(front), luminance(behind(e))].sort((a, b) => b - a);
  const ratio = (l[0] + 0.05) / (l[1] + 0.05), needed = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
  n++;
  if (ratio < needed) bad.push(ratio.toFixed(2) + ' ' + node.data.trim().slice(0, 40));
}
return [n, bad];
'''

FAULTS = '''
const faults = [];
const all = (s, root) => [...(root || document).querySelectorAll(s)];
if (!document.documentElement.lang) faults.push('no lang');
if (!document.title) faults.push('no title');
if (all('h1').length !== 1) faults.push('h1: ' + all('h1').length);
let level = 0;
for (const h of all('h1,h2,h3,h4,h5,h6')) {
  const l = +h.tagName[1];
  if (l > level + 1) faults.push('heading skips to ' + l + ': ' + h.textContent);
  level = l;
}
for (const a of all('a')) if (!a.textContent.trim()) faults.push('a link without words: ' + a.href);
for (const t of all('table')) if (!t.caption || !t.caption.textContent.trim()) faults.push('a table without caption');
for (const t of all('th')) if (!t.scope) faults.push('a header without scope: ' + t.textContent);
for (const e of all('[role=region]')) if (!e.getAttribute('aria-label')) faults.push('a region without a name');
for (const e of all('svg[role=img]')) if (!document.getElementById(e.getAttribute('aria-labelledby'))) faults.push('a picture without a name');
for (const e of all('section')) if (!document.getElementById(e.getAttribute('aria-labelledby'))) faults.push('a section without a name');
for (const l of ['header', 'main', 'footer']) if (all(l).length !== 1) faults.push(l + ': ' + all(l).length);
const ids = all('[id]').map(e => e.id);
if (new Set(ids).size !== ids.length) faults.push('an id twice');
return faults;
'''

# What sticks out of the window, but for tables that scroll in a box of their own.
OVERFLOW = '''
const wide = [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .skip, .heard, svg, thead') &&
  e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map(e => e.tagName + ' ' + e.textContent.trim().slice(0, 40));
return [document.documentElement.scrollWidth - document.documentElement.clientWidth, wide.slice(0, 5)];
'''

OVERLAPS = '''
document.querySelectorAll('.heard').forEach(e => e.style.display = 'none');
const bad = [];
for (const row of document.querySelectorAll('table.cards tbody tr')) {
  const boxes = [...row.querySelectorAll('th a, td > div')].map(e => { const r = document.createRange(); r.selectNodeContents(e); return [r.getBoundingClientRect(), e]; });
  for (let i = 0; i < boxes.length; i++) for (let k = i + 1; k < boxes.length; k++) {
    const [a, b] = [boxes[i][0], boxes[k][0]];
    if (a.left + 1 < b.right && b.left + 1 < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom)
      bad.push(boxes[i][1].textContent.slice(0, 30) + ' | ' + boxes[k][1].textContent.slice(0, 30));
  }
}
return bad.slice(0, 5);
'''

FOCUS = '''
const e = document.activeElement, s = getComputedStyle(e);
return [e.tagName, e.textContent.trim().slice(0, 60), s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1 || e.classList.contains('skip')];
'''


def start():
    from selenium import webdriver
    options = webdriver.ChromeOptions()
    options.binary_location = exporter.tool('chromium')
    for flag in ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--disable-extensions'):
        options.add_argument(flag)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    from selenium.webdriver.chrome.service import Service
    driver = webdriver.Chrome(service=Service(exporter.tool('chromedriver')), options=options)
    driver.set_page_load_timeout(60)
    return driver


def look_as(driver, size, scheme):
    width, height = SIZES[size]
    driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride',
                           {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': size != 'desktop'})
    driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})


def keep_picture(driver, name):
    folder = os.environ.get('SCREENSHOTS')
    if not folder:
        return
    import base64
    picture = driver.execute_cdp_cmd('Page.captureScreenshot', {'format': 'png', 'captureBeyondViewport': True})
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + '.png'), 'wb') as f:
        f.write(base64.b64decode(picture['data']))


def judge_page(driver, url, name, size, scheme):
    look_as(driver, size, scheme)
    driver.get(url)
    title = '%s, %s, %s' % (name, size, scheme)
    keep_picture(driver, '%s-%s-%s' % (name, size, scheme))
    n, bad = driver.execute_script(CONTRAST)
    cases.check(n > 30 and not bad, title + ': every text stands out from what is behind it', '%d texts; %s' % (n, bad[:5]))
    faults = driver.execute_script(FAULTS)
    cases.check(not faults, title + ': names, headings, tables are in order', faults[:5])
    beyond, wide = driver.execute_script(OVERFLOW)
    cases.check(beyond <= 0 and not wide, title + ': nothing sticks out', '%s px; %s' % (beyond, wide))
    overlaps = driver.execute_script(OVERLAPS)
    cases.check(not overlaps, title + ': nothing covers anything', overlaps)
    said = [entry for entry in driver.get_log('browser') if 'favicon' not in entry['message']]
    cases.check(not said, title + ': the console is silent', said[:3])


def judge_keyboard(driver, url, n_links):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    look_as(driver, 'desktop', 'light')
    driver.get(url)
    found = []
    for _ in range(4):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        found.append(driver.execute_script(FOCUS))
    cases.check(found[0][0] == 'A' and 'Skip' in found[0][1], 'the keyboard comes to the way past the navigation first', found)
    links = [a.text for a in driver.find_elements(By.CSS_SELECTOR, 'tbody a')]
    cases.check([f[1] for f in found[1:]] == links[:3] and len(links) == n_links, 'then to the drives, in their order', (found, links[:3]))
    cases.check(all(f[2] for f in found), 'and one sees where it is', found)
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    cases.check('/drives/' in driver.current_url, 'Enter opens the page of the drive', driver.current_url)


def judge_gzip(driver, url):
    """A browser asks for gzip by itself, and shows the metrics whole."""
    driver.get(url)
    text = driver.execute_script('return document.body.innerText')
    entry = driver.execute_script('const e = performance.getEntriesByType("navigation")[0]; return [e.encodedBodySize, e.decodedBodySize]')
    cases.check(entry[0] < entry[1] / 2 and text.rstrip().splitlines()[-1].startswith('process_start_time_seconds'),
                'the metrics come compressed and whole', entry)


def main():
    with showcase.Host() as daemon:
        base = daemon.url[:-len('/metrics')]
        drives = json.loads(daemon.get('/api/v1/drives')[2])['drives']
        lived = next(d['drive'] for d in drives if d['drive'].startswith('SDLL'))
        hostile = next(d['drive'] for d in drives if d['drive'].startswith('a_b_c'))
        driver = start()
        try:
            for name, path in (('index', '/'), ('drive', '/drives/' + urllib.parse.quote(lived, safe=''))):
                for size in SIZES:
                    for scheme in ('light', 'dark'):
                        judge_page(driver, base + path, name, size, scheme)
            for drive in (hostile, showcase.GONE):
                judge_page(driver, base + '/drives/' + urllib.parse.quote(drive, safe=''), drive, 'phone', 'light')
            judge_keyboard(driver, base + '/', len(drives))
            judge_gzip(driver, base + '/metrics')
        finally:
            driver.quit()


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM),
          (importlib.util.find_spec('selenium') is not None, 'no selenium (Debian: python3-selenium)'),
          (exporter.tool('chromium') and exporter.tool('chromedriver'), 'no chromium, or no chromedriver (Debian: chromium, chromium-driver)'))
