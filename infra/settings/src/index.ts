export { type Program, programs } from './programs.ts';
export { type Setting, settingsOf } from './settings-of.ts';
