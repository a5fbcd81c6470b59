/** When most of the examples happen. */
export const at = '2026-01-01T12:00:00.000Z';
/** An instant after {@link at}. */
export const later = '2026-01-02T01:30:00.000Z';

/** Identifiers that all examples use, by path parameter. */
export const exampleIds: Readonly<Record<string, string>> = {
  signal_id: 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z',
  webhook_id: 'wh_01J9ZR0B2D4F6H8K0M2P4R6T8V',
  delivery_id: 'evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S.wh_01J9ZR0B2D4F6H8K0M2P4R6T8V',
  key_id: 'key_9f86d081884c7d659a2feaa0',
  backtest_id: 'bt_01J9ZR0B2D4F6H8K0M2P4R6T8V',
};

/** The body of a successful answer with some data. */
export const success = (data: unknown) => ({ success: true, data });
