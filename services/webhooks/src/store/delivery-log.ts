import { storeCall } from '@sigcast/mongo';
import type { DeliveryLog } from '../domain/delivery.ts';
import { indexNames, type Models, toDeliveryRecord } from './documents.ts';

/** The delivery log in MongoDB. */
export function mongoDeliveryLog({ deliveries }: Models): DeliveryLog {
  return {
    list: (subscription, { skip, limit }) =>
      storeCall(async () => {
        const [total, documents] = await Promise.all([
          deliveries.countDocuments({ subscription }).hint(indexNames.log),
          deliveries
            .find({ subscription })
            .sort({ created_at: -1, _id: -1 })
            .skip(skip)
            .limit(limit)
            .hint(indexNames.log)
            .lean(),
        ]);
        return { total, items: documents.map((document) => toDeliveryRecord(document)) };
      }),

    find: (subscription, id) =>
      storeCall(async () => {
        const document = await deliveries.findOne({ _id: id, subscription }).lean();
        return document ? toDeliveryRecord(document) : undefined;
      }),
  };
}
