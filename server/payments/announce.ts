/** The event of a payment's change. */
import type { Context } from '../context.ts'
import { newId } from '../id.ts'
import { eventBody } from '../receivers/body.ts'
import type { Tx } from '../storage/db.ts'
import { insertEvent } from '../storage/events/events.ts'
import { addJob } from '../storage/jobs.ts'
import { findMerchant } from '../storage/merchants/merchants.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { countPaymentChangesTo } from '../storage/payments/payment-changes.ts'
import { WITHOUT_EVENT } from './status.ts'
import { presentPayment } from './view.ts'

/** The name of the job that delivers an event. */
export const DELIVERY_TASK = 'deliver_event'

/**
 * Stores the event of a change and the job that delivers it. Without a callback URL the event is stored as `unaddressed`, and
 * there is no job. `operationId`: the operation that caused the change.
 */
export async function announce(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  operationId: string | null = null,
): Promise<void> {
  const { merchantId, id: paymentId, version, status, updatedAt: createdAt } = payment
  // Versions count every change. The first event is number 1, so changes without an event are left out.
  const sequence = version - (await countPaymentChangesTo(tx, payment, WITHOUT_EVENT))
  const id = newId(ctx.world, 'evt', merchantId, createdAt)
  const body = eventBody({ id, createdAt, sequence, operationId, payment: presentPayment(ctx, payment) })
  const { eventRetryDelaysSeconds } = ctx.config
  const waitMs = (eventRetryDelaysSeconds[0] ?? 0) * 1000
  const isAddressed = !!(await findMerchant(tx, merchantId))?.callbackUrl
  await insertEvent(tx, {
    merchantId,
    id,
    paymentId,
    sequence,
    status,
    body,
    createdAt,
    state: isAddressed ? 'pending' : 'unaddressed',
    dueAt: isAddressed ? new Date(createdAt.getTime() + waitMs) : null,
  })
  if (isAddressed)
    await addJob(tx, { task: DELIVERY_TASK, payload: { merchantId, eventId: id }, jobKey: id, waitMs })
}
