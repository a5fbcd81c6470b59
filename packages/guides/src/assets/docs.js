// What pages can do without: a button that copies code. And addresses of the reference from when it was at /docs.
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
