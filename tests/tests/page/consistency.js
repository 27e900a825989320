// Returns the contradictions on the page as sentences, such as two countdowns of one deadline that differ, or
// a sum that is not that of its parts.
(() => {
  const contradictions = [];
  const check = (agrees, sentence) => { if (!agrees) contradictions.push(sentence); };
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id, root = document) => root.querySelector(`[data-testid="${CSS.escape(id)}"]`);
  const text = (id, root) => byId(id, root)?.textContent.trim() ?? '';
  // The numbers with one decimal in a text, in tenths.
  const tenths = text =>
    [...text.matchAll(/(?<![\d.])(\d+)\.(\d)(?!\d)/g)].map(it => 10 * it[1] + +it[2]);
  const percent = (element, name) => parseFloat(element.getAttribute(name));
  // Lanes that are out of view are drawn again when they come into view.
  const inView = lane => {
    const { top, bottom } = lane.getBoundingClientRect();
    const box = lane.closest('.lanes-scroll')?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
    return bottom > Math.max(0, box.top) && top < Math.min(innerHeight, box.bottom);
  };

  const [now] = tenths(text('now'));
  if (now === undefined) return contradictions;

  const next = all('[data-testid=run-to]').map(it => ({
    left: tenths(it.querySelector('b').textContent)[0],
    name: it.title.slice(it.title.search(/[:：]/) + 1).trim(),
    at: tenths(it.title)[0],
  }));
  for (const { left, name, at } of next) {
    check(now + left == Math.max(at, now), `next up: +${left} at ${now}, but ${name} at ${at}`);
  }
  const due = (name, verbs) => next.find(it => verbs.some(verb => it.name == `${name} ${verb}`));

  for (const row of all('li[data-testid^="session-"]')) {
    const label = row.dataset.testid.slice('session-'.length);
    const clock = text('session-clock', row);
    const left = tenths(clock).at(-1);
    const listed = due(label, ['expires', '到期']);
    if (listed && /expires|到期/.test(clock) && !/unless|若不/.test(clock)) {
      check(left == listed.left, `session ${label}: ${clock}, but next up in ${listed.left}`);
    }
    check(!listed || clock, `${label} expires next, but its row has no clock`);
  }

  const [word, sentence, sumText] = ['state-word', 'state-sentence', 'state-sum'].map(it => text(it));
  const isForecast = /can take it|接手/.test(sentence);
  if (isForecast) {
    const [left, open] = tenths(sentence).slice(-2);
    check(now + left == open, `at ${now}: ${sentence}`);
    const key = byId('state-line').dataset.key;
    if (word == 'DELAYED') {
      const listed = due(key, ['can be acquired', '可以获取']);
      check(!listed || left == listed.left, `${sentence}, but next up in ${listed?.left}`);
      const lane = byId(`lane-${key}`);
      const delays = all('.halo-delay', lane ?? undefined).map(it => tenths(it.textContent)[0]);
      const drawn = delays.filter(it => it !== undefined);
      check(!lane || !drawn.length || drawn.includes(left), `${sentence}, but its lane says ${drawn}`);
    }
    const [wait, ...terms] = tenths(sumText.split(/[:：]/).at(-1));
    check(wait === undefined || wait == terms.reduce((a, b) => a + b), `the sum is wrong: ${sumText}`);
  }

  for (const entry of all('[data-testid=console-entry]')) {
    const times = tenths(entry.querySelector('.meta').textContent);
    check(times.every(it => it <= now), `the console shows ${entry.textContent} at ${now}`);
  }

  const borders = all('[data-testid=not-computed]');
  check(borders.length < 2, 'two regions are not computed');
  for (const border of borders) {
    const end = percent(border, 'x') + 0.01;
    for (const bar of all('.lanes .bar, .lanes .delay, .lanes .z-safe, .lanes .z-grace, .lanes .both')) {
      const to = percent(bar, 'x') + percent(bar, 'width');
      check(!inView(bar.closest('.lane')) || percent(bar, 'width') == 0 || to <= end,
        `${bar.getAttribute('class')} is drawn to ${to} %, not computed from ${end} %`);
    }
  }

  for (const list of all('.rows').filter(it => it.checkVisibility())) {
    const box = list.getBoundingClientRect();
    const [top, bottom] = [Math.max(0, box.top) + 1, Math.min(innerHeight, box.bottom) - 1];
    const isShown = row => {
      const { height, top: from, bottom: to } = row.getBoundingClientRect();
      return height > 0 && from < bottom && to > top;
    };
    const count = +list.querySelector('[aria-rowcount]').getAttribute('aria-rowcount');
    const rows = all('tbody tr:not(.spacer)', list).filter(isShown);
    check(!all('.spacer', list).some(isShown), `of ${count} rows some in view are not in the document`);
    check(!count || top >= bottom || rows.length, `no row of ${count} is in view`);
    check(rows.every(row => row.textContent.trim()), 'a row in view is empty');
  }
  return contradictions;
})()
