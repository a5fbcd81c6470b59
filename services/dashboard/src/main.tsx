import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import '@sigcast/look/tokens.css';
import '@sigcast/look/header.css';
import './theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Session } from './api/session.ts';
import { App } from './app.tsx';
import { loadAhead } from './routes/load-ahead.ts';

const session = new Session();
void session.start();
if (Session.isExpected()) loadAhead(location.pathname);

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');
createRoot(root).render(
  <StrictMode>
    <App session={session} />
  </StrictMode>,
);
