// A search over a list that is made with the pages: no service is asked.
const dialog = document.createElement('dialog');
dialog.className = 'search';
dialog.setAttribute('aria-label', 'Search the documentation');
dialog.innerHTML = `<input type="text" role="combobox" enterkeyhint="go" aria-label="Search the documentation" aria-controls="found" aria-expanded="true" aria-autocomplete="list" placeholder="Search pages, errors, operations" autocomplete="off" spellcheck="false">
<div id="found" role="listbox" aria-label="Results"></div>
<p class="state" role="status"></p>
<p class="keys"><kbd>↑</kbd><kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close</p>`;
document.body.append(dialog);
const field = dialog.querySelector('input');
const list = dialog.querySelector('#found');
const state = dialog.querySelector('.state');
const most = 12;
let sections;
let chosen = 0;

async function open(words = '') {
  if (dialog.open) return;
  dialog.showModal();
  if (words !== '') field.value = words;
  field.select();
  try {
    sections ??= await (await fetch('/docs/search.json')).json();
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
function scoreOf([, page, heading, text], words) {
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
    ].find(Boolean);
    if (!found) return 0;
    score += Number(found) + (at >= 0 ? 0.5 : 0);
  }
  return score;
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
  const pattern = new RegExp(
    `(${words.map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')})`,
    'gi',
  );
  for (const [at, part] of text.split(pattern).entries()) {
    if (at % 2 === 0) to.append(part);
    else to.append(Object.assign(document.createElement('mark'), { textContent: part }));
  }
}

function show() {
  const words = wordsOf(field.value);
  const found = (words.length === 0 ? [] : sections)
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, most);
  list.replaceChildren(
    ...found.map(({ section: [path, page, heading, text] }, at) => {
      const link = Object.assign(document.createElement('a'), {
        href: path,
        id: `found-${at}`,
        tabIndex: -1,
      });
      link.setAttribute('role', 'option');
      const [title, place, excerpt] = ['b', 'span', 'small'].map((name) => document.createElement(name));
      appendMarked(title, heading, words);
      place.textContent = page;
      appendMarked(excerpt, excerptOf(text, words), words);
      link.append(title, place, excerpt);
      return link;
    }),
  );
  state.textContent =
    words.length > 0 && found.length === 0 ? 'Nothing found. Try fewer or other words.' : '';
  choose(0);
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
for (const button of document.querySelectorAll('.look-search, .open-search')) {
  button.hidden = false;
  // Where there is no page, its address says what was looked for.
  const words = button.matches('.open-search')
    ? location.pathname.replaceAll(/^\/docs\/|[^a-z0-9_.]+/gi, ' ').trim()
    : '';
  button.addEventListener('click', () => open(words));
}
