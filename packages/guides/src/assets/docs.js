// What pages can do without: a button that copies code, and addresses of the reference from when it was at /docs.
if (location.pathname === '/docs' && /^#(tag|description|model|webhook)\//.test(location.hash)) {
  location.replace(`/docs/reference${location.hash}`);
}
for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent.trimEnd());
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  if (navigator.clipboard) block.append(button);
}
// Last, as a browser that keeps nothing throws here. The entry is the dashboard's (api/session.ts): there is a session.
if (localStorage.getItem('sigcast-session') !== null) {
  for (const entry of document.querySelectorAll('[data-entry]')) {
    entry.textContent = 'Open the dashboard';
    entry.setAttribute('href', '/home');
  }
}
