// What pages can do without: copying code, one language for all samples, the reader's key in samples, and trying a request.

// What a browser keeps; nothing where it is told to keep nothing, and then throws.
function kept(storage, name) {
  try {
    return storage().getItem(name);
  } catch {
    return null;
  }
}
function keep(storage, name, value) {
  try {
    if (value === null) storage().removeItem(name);
    else storage().setItem(name, value);
  } catch {
    // It is known until the page is left.
  }
}
const inBrowser = () => localStorage;
const inTab = () => sessionStorage;

// The entry is the dashboard's (api/session.ts): there is a session.
const isSignedIn = kept(inBrowser, 'sigcast-session') !== null;
if (isSignedIn) {
  document.querySelector('.look-account').remove();
  for (const entry of document.querySelectorAll('[data-entry]')) {
    entry.textContent = entry.matches('.look-entry') ? 'Dashboard' : 'Open the dashboard';
    entry.setAttribute('href', '/home');
  }
}

// The language, for all samples of all pages.
const languageKey = 'sigcast-docs-language';
function choose(language) {
  for (const input of document.querySelectorAll('.tabs input')) input.checked = input.value === language;
}
document.addEventListener('change', ({ target }) => {
  if (!target.closest('.tabs')) return;
  // What is above the reader may change its height; the tabs stay where they are.
  const before = target.getBoundingClientRect().top;
  keep(inBrowser, languageKey, target.value);
  choose(target.value);
  window.scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' });
});
const chosen = kept(inBrowser, languageKey);
if (['curl', 'TypeScript', 'Python'].includes(chosen)) {
  for (const tabs of document.querySelectorAll('.tabs')) {
    const input = tabs.querySelector(`[value="${chosen}"]`);
    if (input) input.checked = true;
  }
}

// The reader's key. It is shown only once when it is created, so nobody but the reader can give it: it is pasted, kept in this tab,
// and sent to nobody but this API.
const keyName = 'sigcast-docs-key';
let key = kept(inTab, keyName);
const places = [...document.querySelectorAll('.key')].map((place) => [place, place.textContent]);
function fillIn() {
  for (const [place, form] of places) {
    const { quote } = place.dataset;
    place.textContent = key === null ? form : `${quote}${key.slice(0, 3)}…${key.slice(-4)}${quote}`;
  }
  for (const button of document.querySelectorAll('.use-key')) {
    button.textContent = key === null ? 'Use my key' : `Key …${key.slice(-4)}`;
  }
}

// A key can be pasted here. What waits for it goes on when it is there.
let then;
const dialog = document.createElement('dialog');
dialog.className = 'key-dialog';
dialog.setAttribute('aria-labelledby', 'key-title');
const where = isSignedIn
  ? 'You are signed in. A key is shown only once, so copy it when you <a href="/profile/api">create one</a>.'
  : 'You have none yet? <a href="/sign-up">Create an account</a>, then a key.';
dialog.innerHTML = `<form method="dialog">
<h2 id="key-title">Your API key</h2>
<p>Samples show it shortened and copy it in full. It stays in this tab until you close it, and is sent to this API only, when you run a sample.</p>
<label for="key-field">API key</label>
<input id="key-field" type="password" autocomplete="off" spellcheck="false" placeholder="sk_…">
<p role="alert"></p>
<p>${where}</p>
<div class="buttons"><button type="button" value="forget">Forget key</button><button type="button" value="cancel">Cancel</button><button>Use key</button></div>
</form>`;
document.body.append(dialog);
const field = dialog.querySelector('input');
const problem = dialog.querySelector('[role="alert"]');
function askForKey(next) {
  then = next;
  field.value = '';
  problem.textContent = '';
  dialog.querySelector('[value="forget"]').hidden = key === null;
  dialog.showModal();
}
dialog.addEventListener('submit', (event) => {
  const given = field.value.trim();
  if (!/^sk_\w{8,200}$/.test(given)) {
    event.preventDefault();
    problem.textContent = 'An API key begins with sk_.';
    field.focus();
    return;
  }
  key = given;
  keep(inTab, keyName, key);
  fillIn();
  then?.();
});
dialog.querySelector('[value="cancel"]').addEventListener('click', () => dialog.close());
dialog.querySelector('[value="forget"]').addEventListener('click', () => {
  key = null;
  keep(inTab, keyName, null);
  fillIn();
  dialog.close();
});

function addButton(to, className, text, act) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = className;
  button.textContent = text;
  button.addEventListener('click', () => act(button));
  to.append(button);
}

// The text of a sample as it can be used: with the whole key.
function textOf(code) {
  const copy = code.cloneNode(true);
  if (key !== null) {
    for (const place of copy.querySelectorAll('.key')) {
      place.textContent = `${place.dataset.quote}${key}${place.dataset.quote}`;
    }
  }
  return copy.textContent.trimEnd();
}

for (const block of document.querySelectorAll('.code:not(.excerpt)')) {
  if (!navigator.clipboard) break;
  addButton(block, 'copy', 'Copy', async (button) => {
    await navigator.clipboard.writeText(textOf(block.querySelector('code')));
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
}

// A long answer is cut by its style until the button is pressed. The same bound is in sample-block.ts.
const mostLines = 18;
function cut(block) {
  block.querySelector('.all')?.remove();
  const isLong = block.textContent.split('\n').length > mostLines;
  block.classList.toggle('long', isLong);
  if (!isLong) return;
  addButton(block, 'all', 'Show all', (button) => {
    block.classList.remove('long');
    block.querySelector('pre').focus();
    button.remove();
  });
}
for (const block of document.querySelectorAll(':is(.answer, .operation .beside) .long')) cut(block);

async function run(sample) {
  if (!sample.querySelector('.answer')) {
    const block = '<div class="code"><pre tabindex="0"><code></code></pre></div>';
    sample.insertAdjacentHTML('beforeend', `<div class="answer"><p></p>${block}</div>`);
  }
  const answer = sample.querySelector('.answer');
  const [title, code] = [answer.querySelector('p'), answer.querySelector('code')];
  const began = performance.now();
  try {
    const response = await fetch(sample.dataset.run, { headers: { Authorization: `Bearer ${key}` } });
    const text = await response.text();
    title.innerHTML = `Your answer <b>${response.status}</b> ${Math.round(performance.now() - began)} ms`;
    code.textContent = JSON.stringify(JSON.parse(text), null, 2);
    cut(code.closest('.code'));
  } catch {
    title.textContent = 'The API did not answer. Try it again.';
  }
}

for (const sample of document.querySelectorAll('.sample')) {
  const bar = document.createElement('div');
  bar.className = 'try';
  if (sample.querySelector('.key')) addButton(bar, 'use-key', '', () => askForKey());
  if (sample.dataset.run) {
    addButton(bar, 'run', 'Run', () => (key === null ? askForKey(() => run(sample)) : run(sample)));
  }
  if (bar.childElementCount > 0) sample.insertBefore(bar, sample.querySelector('.answer'));
}
fillIn();

// The links to the section that is read: the last one that begins above a line below the header; at the end of the page, the last.
const links = [...document.querySelectorAll(':is(.contents, .side, .menu) a[href*="#"]')];
const sections = [...new Set(links.map(({ hash }) => document.getElementById(hash.slice(1))))].filter(
  Boolean,
);
function markSection() {
  const { scrollHeight } = document.documentElement;
  const isEnd = scrollY > 0 && scrollY + innerHeight > scrollHeight - 2;
  const read = isEnd ? sections.at(-1) : sections.findLast((one) => one.getBoundingClientRect().top < 160);
  for (const link of links) {
    const isRead = read !== undefined && link.hash === `#${read.id}`;
    if (isRead === link.hasAttribute('aria-current')) continue;
    link.toggleAttribute('aria-current', isRead);
    if (!isRead) continue;
    link.setAttribute('aria-current', 'true');
    const list = link.closest('.side, .contents');
    const { top, bottom } = link.getBoundingClientRect();
    if (list && (top < list.getBoundingClientRect().top || bottom > innerHeight)) {
      list.scrollTop += top - innerHeight / 2;
    }
  }
}
document.addEventListener('scroll', markSection, { passive: true });
markSection();

// The browser went to the address's heading before samples got their heights.
document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
