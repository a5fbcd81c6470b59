// A search over a list that is made with the pages: no service is asked.
const dialog = document.createElement('dialog');
dialog.className = 'search';
dialog.setAttribute('aria-label', 'Search the documentation');
dialog.innerHTML = `<input type="text" role="combobox" enterkeyhint="go" aria-label="Search the documentation" aria-controls="found" aria-expanded="true" aria-autocomplete="list" placeholder="Search pages, errors, operations" autocomplete="off" spellcheck="false">
<p class="state" role="status"></p>
<div id="found" role="listbox" aria-label="Results"></div>
<p class="keys"><kbd>↑</kbd><kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close</p>`;
document.body.append(dialog);
const field = dialog.querySelector('input');
const list = dialog.querySelector('#found');
const state = dialog.querySelector('.state');
const most = 12;
let sections;
let chosen = 0;

async function load() {
  sections ??= await (await fetch('/docs/search.json')).json();
}

async function open() {
  if (dialog.open) return;
  dialog.showModal();
  if (wanted && field.value === '') field.value = wanted;
  field.select();
  try {
    await load();
    show();
  } catch {
    state.textContent = 'The search could not be loaded. Close it and try again.';
  }
}

const wordsOf = (text) =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

// A text to search in: "retries" is found by "retry" as well.
function searched(part) {
  const lower = part.toLowerCase();
  return lower.includes('ies') ? `${lower} ${lower.replaceAll(/ies\b/g, 'y')}` : lower;
}

// How well a section fits: 0 where one of the words is nowhere in it. A page's title weighs most, then its headings, then its text.
function scoreOf([path, page, heading, text], words) {
  const [inHeading, inPage, inText] = [heading, page, text].map(searched);
  const isTitle = heading === page;
  let score = heading.toLowerCase() === words.join(' ') ? 20 : 0;
  for (const word of words) {
    const at = inText.indexOf(word);
    const found = [
      ` ${inHeading}`.includes(` ${word}`) && (isTitle ? 14 : 10),
      inHeading.includes(word) && (isTitle ? 10 : 7),
      inPage.includes(word) && 5,
      at === 0 || (at > 0 && !/\w/.test(inText[at - 1]) && 2),
      at > 0 && 1,
      path.slice('/docs'.length).replaceAll(/\W/g, '').includes(word) && 1,
    ].find(Boolean);
    if (!found) return 0;
    score += Number(found) + (at >= 0 ? 0.5 : 0);
  }
  return score;
}

// Whether one edit makes a word of the other: a letter more, less or another, or two that changed places.
function isNear(one, other) {
  let from = 0;
  while (from < one.length && one[from] === other[from]) from++;
  const rest = Math.min(one.length, other.length) - from;
  let end = 0;
  while (end < rest && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [a, b] = [one.slice(from, one.length - end), other.slice(from, other.length - end)];
  return (a.length < 2 && b.length < 2) || (a.length === 2 && a === b[1] + b[0]);
}

// The words. In place of one that no section has: the most frequent one near to it, whose end may not be typed yet; else as much
// of its beginning as there is.
function corrected(words) {
  const texts = sections.map((section) => searched(section.join(' ')));
  const counts = new Map();
  for (const [word] of texts.join(' ').matchAll(/[a-z]{4,}/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const known = [...counts].sort(([, one], [, other]) => other - one).map(([word]) => word);
  const isKnown = (word) => texts.some((text) => text.includes(word));
  return words.map((word) => {
    const { length } = word;
    if (length < 5 || isKnown(word)) return word;
    const near = known.find((other) =>
      [other, ...[-1, 0, 1].map((more) => other.slice(0, length + more))].some((part) => isNear(word, part)),
    );
    const beginnings = Array.from({ length: length - 5 }, (_, less) => word.slice(0, length - less - 1));
    return near ?? beginnings.find(isKnown) ?? word;
  });
}

// The sections that words find, the best first, and the words that found them: the given ones, or near ones.
function find(given) {
  const best = (words) =>
    (words.length === 0 ? [] : sections)
      .map((section) => ({ section, score: scoreOf(section, words) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, most)
      .map(({ section }) => section);
  const found = best(given);
  if (found.length > 0) return { found, words: given };
  const words = corrected(given);
  return { found: best(words), words };
}

// Some words around the first one that was found.
function excerptOf(text, words) {
  const first = Math.max(
    0,
    Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0)),
  );
  const from = Number.isFinite(first) && first > 40 ? text.indexOf(' ', first - 40) + 1 : 0;
  return (from > 0 ? '… ' : '') + text.slice(from, from + 140);
}

// Texts become nodes, so nothing in them is taken for HTML.
function appendMarked(to, text, words) {
  if (words.length === 0) return to.append(text);
  const pattern = new RegExp(
    `(${words.map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')})`,
    'gi',
  );
  for (const [at, part] of text.split(pattern).entries()) {
    if (at % 2 === 0) to.append(part);
    else to.append(Object.assign(document.createElement('mark'), { textContent: part }));
  }
}

// What one begins with, where nothing is looked for or found.
function mainPages() {
  const names = ['quick-start', 'authentication', 'pagination', 'webhooks', 'errors', 'client', 'reference'];
  const paths = names.map((name) => `/docs/${name}`);
  return sections.filter(([path]) => paths.includes(path));
}

function show() {
  const given = wordsOf(field.value);
  const { found, words } = find(given);
  const isNothing = given.length > 0 && found.length === 0;
  const shown = found.length > 0 ? found : mainPages();
  list.replaceChildren(
    ...shown.map(([path, page, heading, text], at) => {
      const link = Object.assign(document.createElement('a'), {
        href: path,
        id: `found-${at}`,
        tabIndex: -1,
      });
      link.setAttribute('role', 'option');
      const [title, place, excerpt] = ['b', 'span', 'small'].map((name) => document.createElement(name));
      appendMarked(title, heading, words);
      place.textContent = page === heading ? '' : page;
      appendMarked(excerpt, excerptOf(text, words), words);
      link.append(title, place, excerpt);
      return link;
    }),
  );
  const isCorrected = !isNothing && words.join() !== given.join();
  state.textContent = isNothing
    ? 'Nothing found. Try fewer or other words, or one of these pages.'
    : isCorrected
      ? `Results for “${words.join(' ')}”`
      : '';
  if (found.length > 0) choose(0);
  else {
    // Nobody asked for one of these.
    chosen = -1;
    field.removeAttribute('aria-activedescendant');
  }
}

function choose(at) {
  const options = [...list.children];
  chosen = options.length === 0 ? 0 : (at + options.length) % options.length;
  for (const [index, option] of options.entries())
    option.setAttribute('aria-selected', String(index === chosen));
  if (options.length === 0) field.removeAttribute('aria-activedescendant');
  else field.setAttribute('aria-activedescendant', options[chosen].id);
  options[chosen]?.scrollIntoView({ block: 'nearest' });
}

field.addEventListener('input', () => sections && show());
field.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    choose(chosen + step);
  } else if (event.key === 'Enter' && !event.isComposing) {
    event.preventDefault();
    list.children[chosen]?.click();
  }
});
list.addEventListener('click', () => dialog.close());
dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input:not([type="radio"]), textarea, select, [contenteditable]');
  const isAsked =
    (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) ||
    (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey));
  if (!isAsked || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  open();
});
if (/Mac|iPhone|iPad/.test(navigator.userAgent))
  document.querySelector('.look-search kbd').textContent = '⌘K';
// Where there is no page, its address says what was looked for.
const nearPages = document.querySelector('.near');
const wanted = nearPages && location.pathname.replaceAll(/^\/docs\/|[^a-z0-9_.]+/gi, ' ').trim();
for (const button of document.querySelectorAll('.look-search, .open-search')) {
  button.hidden = false;
  button.addEventListener('click', open);
}
if (wanted) {
  await load();
  const items = find(wordsOf(wanted))
    .found.slice(0, 5)
    .map(([href, page, heading]) => {
      const textContent = heading === page ? page : `${page}: ${heading}`;
      const item = document.createElement('li');
      item.append(Object.assign(document.createElement('a'), { href, textContent }));
      return item;
    });
  nearPages.hidden = items.length === 0;
  nearPages.querySelector('ul').append(...items);
}
