import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { sampleApp } from './fixture.ts';

const app = sampleApp();

describe('Link', () => {
  const links = async (query: string) => {
    const { headers } = await request(app).get(`/pages?${query}`);
    const found = String(headers.link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g);
    return Object.fromEntries([...found].map(([, address = '', relation = '']) => [relation, address]));
  };

  it('Link has the first, previous, next and last page by number, with the same filters', async () => {
    expect(await links('total=45&type=a%26b&page=3')).toEqual({
      first: '?total=45&type=a%26b',
      prev: '?total=45&type=a%26b&page=2',
      next: '?total=45&type=a%26b&page=4',
      last: '?total=45&type=a%26b&page=5',
    });
    expect(Object.keys(await links('total=45'))).toEqual(['first', 'next', 'last']);
    expect(Object.keys(await links('total=45&page=5'))).toEqual(['first', 'prev', 'last']);
    expect(Object.keys(await links('total=0'))).toEqual(['first']);
  });

  it('Link of a page behind the last one has the last one as the previous', async () => {
    expect(await links('total=45&page=400')).toEqual({
      first: '?total=45',
      prev: '?total=45&page=5',
      last: '?total=45&page=5',
    });
    expect(Object.keys(await links('total=0&page=400'))).toEqual(['first']);
  });

  it('Link keeps the host and the path of the client’s address, which the service may not know', async () => {
    const known = 'https://api.example.com/sigcast/pages?total=45&page=2';
    const { first, next } = await links('total=45&page=2');
    expect(new URL(String(first), known).href).toBe('https://api.example.com/sigcast/pages?total=45');
    expect(new URL(String(next), known).href).toBe('https://api.example.com/sigcast/pages?total=45&page=3');
  });

  it('Link has an empty query for the first page of a list without other parameters', async () => {
    const { first } = await links('cursor=abc');
    expect(first).toBe('?');
    expect(new URL(String(first), 'https://api.example.com/sigcast/v1/signals?cursor=abc').search).toBe('');
  });

  it('Link has the next page by cursor where the list has cursors', async () => {
    expect((await links('total=45&page=2&next=abc')).next).toBe('?total=45&next=abc&cursor=abc');
    expect(await links('total=45&page=4&cursor=abc&next=def')).toEqual({
      first: '?total=45&next=def',
      next: '?total=45&next=def&cursor=def',
    });
    expect(await links('total=45&page=5&cursor=def&next=')).toEqual({ first: '?total=45&next=' });
  });

  it('Link has no last page where its number is too high to be read', async () => {
    expect(Object.keys(await links('total=100000&page=2&next=abc'))).toEqual(['first', 'prev', 'next']);
  });
});
