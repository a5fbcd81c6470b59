import { describe, expect, it } from 'vitest';
import { EventStreamParser } from '../src/event-stream-parser.ts';

const parse = (...chunks: string[]) => {
  const parser = new EventStreamParser();
  return chunks.flatMap((chunk) => [...parser.push(chunk)]);
};
const message = (data: string, lastEventId = '') => ({ event: 'message', data, lastEventId });

// The first four are the examples of the WHATWG standard.
describe('an event stream', () => {
  it('joins the lines of an event’s data', () => {
    expect(parse('data: YHOO\ndata: +2\ndata: 10\n\n')).toEqual([message('YHOO\n+2\n10')]);
  });

  it('skips comments, keeps an id until another one comes, and resets it with an empty one', () => {
    const text =
      ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n';
    expect(parse(text)).toEqual([
      message('first event', '1'),
      message('second event'),
      message(' third event'),
    ]);
  });

  it('tells empty data from no data, and drops an event that the end of the stream cuts off', () => {
    expect(parse('data\n\ndata\ndata\n\ndata:')).toEqual([message(''), message('\n')]);
  });

  it('removes one blank after a colon', () => {
    expect(parse('data:test\n\ndata: test\n\n')).toEqual([message('test'), message('test')]);
  });

  it('uses an event’s name for that event only', () => {
    expect(parse('event: signal.new\ndata: 1\n\ndata: 2\n\nevent: unheard\n\ndata: 3\n\n')).toEqual([
      { event: 'signal.new', data: '1', lastEventId: '' },
      message('2'),
      message('3'),
    ]);
  });

  it('reports an id without an event, because a reconnection continues from it', () => {
    expect(parse('id: 7\n\nid: 7\n\n')).toEqual([{ event: 'message', data: undefined, lastEventId: '7' }]);
  });

  it('ignores an id with NUL, a retry that is no number, and unknown fields', () => {
    const parser = new EventStreamParser('5');
    expect([...parser.push('id: a\0b\nretry: 1s\nother: x\ndata: y\n\n')]).toEqual([message('y', '5')]);
    expect(parser.retryMs).toBeUndefined();
    expect([...parser.push('retry: 2500\n')]).toEqual([]);
    expect(parser.retryMs).toBe(2_500);
  });

  it.each([
    ['LF', '\n'],
    ['CR', '\r'],
    ['CRLF', '\r\n'],
  ])('reads the same with lines ended by %s, wherever it is cut', (_, end) => {
    const text = ['id: 1', 'event: e', 'data: a', 'data: b', '', ': c', 'data: z', '', ''].join(end);
    const whole = [{ event: 'e', data: 'a\nb', lastEventId: '1' }, message('z', '1')];
    expect(parse(text)).toEqual(whole);
    expect(parse(...text)).toEqual(whole);
    for (let at = 0; at <= text.length; at++) expect(parse(text.slice(0, at), text.slice(at))).toEqual(whole);
  });

  it('returns an event at the CR that ends it, without waiting for more', () => {
    const parser = new EventStreamParser();
    expect([...parser.push('data: now\r\r')]).toEqual([message('now')]);
    expect([...parser.push('\n')]).toEqual([]);
  });
});
