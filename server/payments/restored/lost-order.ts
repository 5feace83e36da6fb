/** After a restore: orders that our database has lost. The provider is asked for them by their reference alone. */
import type { Context } from '../../context.ts'
import { ID_BODY, referenceOf } from '../../id.ts'
import type { LookUpResult, ProviderOrder } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { findPaymentByReference, noteUnknownOrder } from '../../storage/restores/unknown-orders.ts'
import { withSnapshot } from '../attempts/ask.ts'
import { statusOf } from '../derived-status.ts'
import { callProvider, explainCallFailure, limitsOfQuestion } from '../provider-call.ts'
import { latestRestore, MARGIN_MS } from '../restored.ts'

/** Nobody knows for what an order was opened that our database has lost. Without money it is nothing. */
const NOTHING = { amountMinor: 0, currency: 'AMD' } as const
/** For so long after a restore, orders that nobody knows are kept for the report. */
const KEPT_MS = 30 * 86_400_000

/** Asks the provider for an order that may have been opened since the backup. */
export async function lookUpLost(
  ctx: Context,
  account: Account,
  { reference, state = null }: Pick<ProviderOrder, 'reference'> & { state?: unknown },
): Promise<LookUpResult> {
  const { driver } = account
  const restore = await latestRestore(ctx)
  const now = ctx.clock.now()
  const after = new Date((restore?.backupAt ?? now).getTime() - MARGIN_MS)
  try {
    const asking = limitsOfQuestion(account, reference, 'schedule')
    const order = { reference, state, opened: { after, before: now } }
    const found = await callProvider(ctx, account, asking, async (call) => driver.lookUp?.(call, order))
    if (!found) return { kind: 'unavailable', message: 'this provider cannot be asked' }
    return withSnapshot(found, { reference, ...NOTHING })
  } catch (error) {
    return {
      kind: 'unavailable',
      message: explainCallFailure(ctx, error, { account: account.id, about: reference }),
    }
  }
}

async function isAfterRestore(ctx: Context): Promise<boolean> {
  const restore = await latestRestore(ctx)
  return restore !== null && ctx.clock.now().getTime() < restore.restoredAt.getTime() + KEPT_MS
}

/**
 * A verified callback is about an order that our database does not have. After a restore it is stored with what the provider says, for the
 * report. Returns false if there was no restore.
 */
export async function noteLostOrder(
  ctx: Context,
  account: Account,
  { reference, state = null }: { reference: string; state?: unknown },
): Promise<boolean> {
  if (reference === '' || !(await isAfterRestore(ctx))) return false
  const answer = await lookUpLost(ctx, account, { reference, state })
  const report = answer.kind === 'found' ? { ...answer.snapshot, status: statusOf(answer.snapshot) } : null
  const unknown = {
    accountId: account.id,
    reference,
    source: 'callback',
    state,
    providerAnswer: report,
  } as const
  await noteUnknownOrder(ctx.db, { ...unknown, at: ctx.clock.now() })
  ctx.log.warn({ account: account.id, reference }, 'a callback names an order that was lost with the restore')
  return true
}

const PAYMENT_ID = new RegExp(`^pay_(test_)?${ID_BODY}$`)

/**
 * Somebody shows the id of a payment that our database does not have. A payment's id ends with its reference, so after a restore it leads to
 * the payment that the merchant has created again. Returns null if there is none. `isReturn`: a buyer has come back from a provider.
 */
export async function findAgain(
  ctx: Context,
  paymentId: string,
  { isReturn = false } = {},
): Promise<AttemptedPayment | null> {
  if (!PAYMENT_ID.test(paymentId) || !(await isAfterRestore(ctx))) return null
  const reference = referenceOf(paymentId)
  const again = await findPaymentByReference(ctx.db, reference)
  if (again) return findPaymentById(ctx.db, again)
  const unknown = { accountId: '', reference, source: 'return', state: null, providerAnswer: null } as const
  if (isReturn) await noteUnknownOrder(ctx.db, { ...unknown, at: ctx.clock.now() })
  return null
}
