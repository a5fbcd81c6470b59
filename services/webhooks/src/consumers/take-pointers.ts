import { type IncomingMessage, UnprocessableMessage } from '@sigcast/messaging';

const pointerPattern = /^evt_[0-9A-Za-z]{20,26}\.wh_[0-9A-Za-z]{20,26}$/;

/** Handles a message of the work queue: a pointer to a delivery, nothing else. Done when it is claimed or can't be. */
export function takePointers(
  take: (deliveryId: string) => Promise<void>,
): (message: IncomingMessage) => Promise<void> {
  return async (message) => {
    const id = message.body.toString('utf8');
    if (!pointerPattern.test(id)) throw new UnprocessableMessage('not a pointer to a delivery');
    await take(id);
  };
}
