/** What the colour of a word means. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'neutral';
