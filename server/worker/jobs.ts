/** The job table: what the queue can be asked to do. */
import type { Context } from '../context.ts'
import { DELIVERY_TASK } from '../payments/transition.ts'
import { type DeliveryJob, deliverEvent } from './deliveries.ts'

export const JOBS = {
  [DELIVERY_TASK]: (ctx: Context, payload: unknown) => deliverEvent(ctx, payload as DeliveryJob),
} satisfies Record<string, (ctx: Context, payload: unknown) => Promise<void>>
