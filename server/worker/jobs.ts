/** The job table: one function for each kind of job in the queue. */
import { DELIVERY_TASK } from '../receivers/announce.ts'
import type { Deliveries, DeliveryJob } from './deliveries.ts'

export const JOBS = {
  [DELIVERY_TASK]: async (deliveries: Deliveries, payload: unknown) =>
    deliveries.wake((payload as DeliveryJob).merchantId),
} satisfies Record<string, (deliveries: Deliveries, payload: unknown) => Promise<void>>
