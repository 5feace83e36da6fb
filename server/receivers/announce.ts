/** Stores the event of a payment's change, and makes it due. */
import type { Context } from '../context.ts'
import type { PaymentSession } from '../contract/payment.ts'
import { newId } from '../id.ts'
import { afterCommit } from '../storage/after-commit.ts'
import type { Tx } from '../storage/db.ts'
import { insertEvent } from '../storage/events/events.ts'
import { wakeFor } from '../storage/jobs.ts'
import { findMerchant } from '../storage/merchants/merchants.ts'
import { eventBody } from './body.ts'

/** The name of the job that wakes the process that delivers a merchant's events. */
export const DELIVERY_TASK = 'deliver_event'

/** `payment`: as the outside sees it after the change. `operationId`: the operation that caused the change, or null. */
export type AnnouncedEvent = {
  merchantId: string
  sequence: number
  createdAt: Date
  payment: PaymentSession
  operationId: string | null
}

/**
 * Stores the event of a change and when it is due. That alone makes it be delivered: the job after the commit only wakes a worker
 * sooner. Without a callback URL the event is stored as `unaddressed`.
 */
export async function announce(
  ctx: Context,
  tx: Tx,
  { merchantId, sequence, createdAt, payment, operationId }: AnnouncedEvent,
): Promise<void> {
  const id = newId(ctx.world, 'evt', merchantId, createdAt)
  const { eventRetryDelaysSeconds } = ctx.config
  const waitMs = (eventRetryDelaysSeconds[0] ?? 0) * 1000
  const isAddressed = !!(await findMerchant(tx, merchantId))?.callbackUrl
  await insertEvent(tx, {
    merchantId,
    id,
    paymentId: payment.id,
    sequence,
    status: payment.status,
    body: eventBody({ id, createdAt, sequence, operationId, payment }),
    createdAt,
    state: isAddressed ? 'pending' : 'unaddressed',
    dueAt: isAddressed ? new Date(createdAt.getTime() + waitMs) : null,
  })
  if (isAddressed && waitMs === 0)
    afterCommit(tx, () => {
      // If this fails, the worker's next turn finds the event.
      wakeFor(ctx.db, { task: DELIVERY_TASK, merchantId }).catch(() => {})
    })
}
