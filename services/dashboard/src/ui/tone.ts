/** What the colour of a word says besides. */
export type Tone = 'good' | 'bad' | 'info' | 'neutral';
