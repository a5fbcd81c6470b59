/** A path whose answer is as large as any of the API; all other paths have a small answer. */
export const largePath = '/v1/webhooks/wh_01KA9QDR7C9X2Y5W8V1T3S6R4P/deliveries';
