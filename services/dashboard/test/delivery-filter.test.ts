import { describe, expect, it } from 'vitest';
import { deliveryFilterIn, deliveryQuery, everyDelivery, isFiltered } from '../src/api/delivery-filter.ts';

const signal = 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';

describe('the filter of deliveries in an address', () => {
  it.each([
    '',
    'status=failed',
    'status=retrying&event=signal.new&page=3',
    'http_status=none',
    `status=failed&event=webhook.test&http_status=503&signal_id=${signal}&page=2`,
  ])('%j comes back as it was', (query) => {
    expect(deliveryQuery(deliveryFilterIn(`?${query}`)).toString()).toBe(query);
  });

  it.each(['status=open', 'event=signal.updated', 'http_status=5xx', 'signal_id=nova', 'page=0', 'page=x'])(
    '%j counts as left out',
    (query) => {
      expect(deliveryFilterIn(`?${query}`)).toEqual(everyDelivery);
    },
  );

  it('has at most the last page that the API gives', () => {
    expect(deliveryFilterIn('?page=1e9').page).toBe(208);
  });

  it('counts as a filter unless it only has a page', () => {
    expect(isFiltered(everyDelivery)).toBe(false);
    expect(isFiltered({ ...everyDelivery, page: 2 })).toBe(false);
    expect(isFiltered({ ...everyDelivery, answered: 'none' })).toBe(true);
  });
});
