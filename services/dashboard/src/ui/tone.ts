/** What the colour of a word means. */
export type Tone = 'good' | 'bad' | 'info' | 'neutral';
