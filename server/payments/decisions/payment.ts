/** What a person decides about a payment: money seen on an account, and outcomes that nobody else can clear. */
import type { Context } from '../../context.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import { AppError } from '../../errors.ts'
import type { LookUpResult } from '../../providers/driver.ts'
import { isReady } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { findPaymentById, lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import type { Decision } from '../operation.ts'
import { askAboutPayment, askProvider } from '../question.ts'
import { isOpen } from '../status.ts'
import { applyStatus, applyStatusIn, type Change } from '../transition.ts'

type Money = NonNullable<Change['money']>

const NO_MONEY: Money = { authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
const taken = ({ amountMinor }: PaymentRecord): Money => ({
  authorizedMinor: amountMinor,
  capturedMinor: amountMinor,
  refundedMinor: 0,
})
const held = ({ amountMinor }: PaymentRecord): Money => ({ ...NO_MONEY, authorizedMinor: amountMinor })

/** What an operator may decide, and the amounts that go with it: always the whole payment's. */
const DECISIONS = {
  paid: taken,
  authorized: held,
  failed: () => NO_MONEY,
  cancelled: () => NO_MONEY,
  expired: () => NO_MONEY,
  reversed: held,
  refunded: (payment) => ({ ...taken(payment), refundedMinor: payment.amountMinor }),
  disputed: taken,
} as const satisfies Partial<Record<PaymentStatus, (payment: PaymentRecord) => Money>>

export type DecidedStatus = keyof typeof DECISIONS
export const DECIDED_STATUSES = Object.keys(DECISIONS) as DecidedStatus[]
/** An order that no provider knows of can be given up; that its money came is confirmed with a reference. */
const GIVEN_UP: readonly DecidedStatus[] = ['failed', 'cancelled', 'expired']

const referenceNote = (reference: string) => `bank reference ${reference}`

/**
 * The money of a payment that no provider reports has been seen on the account under this reference. `confirmed` is false
 * when it had been confirmed by the same reference before. @throws AppError payment_not_found, payment_not_eligible
 */
export async function confirmPayment(
  ctx: Context,
  paymentId: string,
  { reference, actor }: { reference: string; actor: string },
): Promise<{ payment: PaymentRecord; confirmed: boolean }> {
  const { merchantId, provider } = await getPayment(ctx, paymentId)
  if (ctx.routes[provider].driver?.lookUp)
    throw new AppError('payment_not_eligible', {
      message: `The provider of ${provider} says itself whether it was paid; only money that nobody reports is confirmed by hand.`,
    })
  const detail = referenceNote(reference)
  return inTransaction(ctx.db, async (tx) => {
    const payment = (await lockPayment(tx, merchantId, paymentId)) as PaymentRecord
    const changes = await listPaymentChanges(tx, merchantId, paymentId)
    const before = changes.find(({ cause, toStatus }) => cause === 'operator' && toStatus === 'paid')
    if (before?.detail === detail) return { payment, confirmed: false }
    const change = { to: 'paid', cause: 'operator', money: taken(payment), actor, detail } as const
    const applied = before ? null : await applyStatusIn(ctx, tx, payment, change)
    if (applied?.outcome === 'changed') return { payment: applied.payment, confirmed: true }
    const by = before?.detail ? ` It was confirmed by ${before.detail}.` : ''
    throw new AppError('payment_not_eligible', {
      message: `The payment ${paymentId} is ${payment.status}: it cannot be confirmed by ${detail}.${by}`,
    })
  })
}

export type Resolved = {
  payment: PaymentRecord
  /** What the provider said just before; null where there is none to ask. */
  said: string | null
  /** The provider said something else. */
  disagrees: boolean
}

/**
 * A person's word on a payment whose outcome nobody knows, or one that no provider reports and that is given up. The
 * provider is asked first. @throws AppError payment_not_found, payment_not_eligible
 */
export async function resolvePayment(
  ctx: Context,
  paymentId: string,
  as: DecidedStatus,
  { actor, why }: Decision,
): Promise<Resolved> {
  const payment = await getPayment(ctx, paymentId)
  const route = ctx.routes[payment.provider]
  const asked = isReady(route) && route.driver.lookUp ? await askProvider(ctx, route, payment) : null
  const now = asked ? await askAboutPayment(ctx, payment, asked) : payment
  if (now.version !== payment.version && now.status !== 'status_unknown')
    throw new AppError('payment_not_eligible', {
      message: `The provider was asked first, and has cleared it: the payment is ${now.status}.`,
    })
  refuseUndecidable(now, as, asked === null)
  const said = asked && inWords(asked)
  const disagrees = asked !== null && isOtherwise(asked, as)
  const change = { to: as, cause: 'operator', money: DECISIONS[as](now), actor } as const
  const detail = disagrees ? `${why} (the provider: ${said})` : why
  const applied = await applyStatus(ctx, now, { ...change, detail })
  if (applied.outcome !== 'refused') return { payment: applied.payment, said, disagrees }
  throw new AppError('payment_not_eligible', {
    message: `The payment is ${applied.payment.status}, and does not become ${as}.`,
  })
}

function refuseUndecidable(payment: PaymentRecord, as: DecidedStatus, unreported: boolean): void {
  if (payment.status === 'status_unknown') return
  const mayGiveUp = unreported && isOpen(payment.status)
  if (mayGiveUp && GIVEN_UP.includes(as)) return
  if (mayGiveUp)
    throw new AppError('payment_not_eligible', {
      message: 'Money that has arrived is confirmed with its bank reference.',
      next: [{ act: 'confirm_payment', paymentId: payment.id }],
    })
  throw new AppError('payment_not_eligible', {
    message: `The payment is ${payment.status}; a person decides only about one that is status_unknown.`,
  })
}

function inWords(asked: LookUpResult): string {
  if (asked.kind === 'found') return asked.snapshot.status
  return asked.kind === 'not_found' ? 'no such order' : `no answer (${asked.message})`
}

function isOtherwise(asked: LookUpResult, as: DecidedStatus): boolean {
  if (asked.kind === 'unavailable') return false
  if (asked.kind === 'not_found') return !GIVEN_UP.includes(as)
  return asked.snapshot.status !== as && asked.snapshot.status !== 'status_unknown'
}

async function getPayment(ctx: Context, paymentId: string): Promise<PaymentRecord> {
  const payment = await findPaymentById(ctx.db, paymentId)
  if (payment) return payment
  throw new AppError('payment_not_found', { message: `There is no payment ${paymentId}.` })
}
