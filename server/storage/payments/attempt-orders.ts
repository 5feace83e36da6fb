/**
 * The order behind an attempt: planned, being opened, open, over. Every write here but those of `payment-creation.ts` happens under
 * the lock of the payment's row, or under the lease that was taken there.
 */
import { type Queryable, statement } from '../db.ts'
import { selected } from '../fields.ts'
import { ATTEMPT_FIELDS, type Attempt, type AttemptState, type NamedAttempt } from './attempt.ts'
import { type NamedPayment, OF_PAYMENT, type Payment } from './payment.ts'

const add = statement<{ attempt: number }>(
  'add_attempt',
  `with added as (
     insert into world.attempts (merchant_id, payment_id, number, provider, account_id, reference, state, lease_until,
       expires_at, created_at, question_due_at)
     select $1, $2, 1 + max(number), $3, $4, $5, 'opening', $6, $7, $8, $9 from world.attempts
     where merchant_id = $1 and payment_id = $2
     returning number
   ) update world.payments set attempt = added.number from added where merchant_id = $1 and id = $2 returning attempt`,
)

/** Returns all attempts of a payment, the first one first. */
export const listAttempts = statement<Attempt>(
  'list_attempts',
  `select ${selected(ATTEMPT_FIELDS)}
   from world.attempts where merchant_id = $1 and payment_id = $2 order by number`,
).all(({ merchantId, id }: NamedPayment) => [merchantId, id])

export type NewOrder = Pick<Attempt, 'provider' | 'accountId' | 'reference'> & {
  leaseUntil: Date
  questionDueAt: Date | null
}

/** Adds an attempt that is being opened, as the payment's own. The payment's row is locked. Returns its number. */
export async function insertAttempt(
  tx: Queryable,
  { merchantId, id, expiresAt }: Payment,
  { provider, accountId, reference, leaseUntil, questionDueAt }: NewOrder,
  now: Date,
): Promise<number> {
  const order = [provider, accountId, reference, leaseUntil]
  const rows = await add(tx, [merchantId, id, ...order, expiresAt, now, questionDueAt])
  return rows[0]?.attempt ?? 0
}

/** Begins to open a planned attempt. Returns false if its state has changed. */
export const beginPlannedAttempt = statement<{ number: number }>(
  'begin_planned_attempt',
  `update world.attempts set state = 'opening', provider = $4, account_id = $5, reference = $6, lease_until = $7,
     question_due_at = $8, created_at = $9
   where merchant_id = $1 and payment_id = $2 and number = $3 and state = 'planned' returning number`,
).some(
  (
    { merchantId, paymentId, number }: NamedAttempt,
    { provider, accountId, reference, leaseUntil, questionDueAt }: NewOrder,
    now: Date,
  ) => {
    const order = [provider, accountId, reference, leaseUntil, questionDueAt, now]
    return [merchantId, paymentId, number, ...order]
  },
)

/** Takes over an opening that has no lease, or whose lease has ended. Returns false when somebody else is opening it, or it is open. */
export const takeAttemptLease = statement<{ number: number }>(
  'take_attempt_lease',
  `update world.attempts set lease_until = $4
   where merchant_id = $1 and payment_id = $2 and number = $3 and state = 'opening'
     and (lease_until is null or lease_until <= $5) returning number`,
).some(({ merchantId, paymentId, number }: NamedAttempt, { now, until }: { now: Date; until: Date }) => [
  merchantId,
  paymentId,
  number,
  until,
  now,
])

/** Returns whether somebody is opening an order, or died while opening one. */
// Only the sandbox asks, before its clock moves.
export const isAnyOpening = statement<{ found: boolean }>(
  'is_any_opening',
  `select exists (select from world.attempts where state = 'opening' and lease_until is not null) as found`,
).value('found', false)

export type LeasedAttempt = NamedAttempt & { leaseUntil: Date }

/**
 * Ends the lease without an open order. `state`: how the attempt ended, if it is sure that there is no order. `questionDueAt`: when
 * the worker looks at it again. `mayAppearUntil`: until then an order may still appear at the provider.
 */
export const releaseOpening = statement(
  'release_attempt_lease',
  `update world.attempts set lease_until = null, state = coalesce($5, state), question_due_at = $6,
     may_appear_until = coalesce($7, may_appear_until)
   where merchant_id = $1 and payment_id = $2 and number = $3 and lease_until = $4 and state = 'opening'`,
).run(
  (
    { merchantId, paymentId, number, leaseUntil }: LeasedAttempt,
    to: { state: 'refused' | null; questionDueAt: Date; mayAppearUntil: Date | null },
  ) => [merchantId, paymentId, number, leaseUntil, to.state, to.questionDueAt, to.mayAppearUntil],
)

/** Notes that the request to open the order leaves now. Until then the order may appear. */
export const noteOpeningSent = statement(
  'note_opening_sent',
  `update world.attempts set may_appear_until = $5
   where merchant_id = $1 and payment_id = $2 and number = $3 and lease_until = $4 and state = 'opening'`,
).run(({ merchantId, paymentId, number, leaseUntil }: LeasedAttempt, until: Date) => [
  merchantId,
  paymentId,
  number,
  leaseUntil,
  until,
])

/**
 * Leaves an order that no buyer of this payment can ever pay: `lost` if nobody has its address, `refused` if it belongs to something
 * else. Returns false if the caller has lost the lease.
 */
export const leaveOrder = statement<{ number: number }>(
  'leave_order',
  `update world.attempts set lease_until = null, may_appear_until = null, state = $5, question_due_at = $6, question_attempts = 0
   where merchant_id = $1 and payment_id = $2 and number = $3 and lease_until = $4 and state = 'opening' returning number`,
).some(
  (
    { merchantId, paymentId, number, leaseUntil }: LeasedAttempt,
    to: { state: 'lost' | 'refused'; questionDueAt: Date | null },
  ) => [merchantId, paymentId, number, leaseUntil, to.state, to.questionDueAt],
)

/**
 * Withdraws an open order whose provider takes no money before we allow it: a pre-check that is not allowed, and an approval that is not
 * taken. Returns false if we have allowed it. From then on nobody does.
 */
export const withdrawUnallowed = statement<{ number: number }>(
  'withdraw_unallowed',
  `update world.attempts set state = 'withdrawn'
   where merchant_id = $1 and payment_id = $2 and number = $3 and state = 'open' and under_way_since is null
     and allowed_at is null and proof is null and finalizing_until is null returning number`,
).some(({ merchantId, paymentId, number }: NamedAttempt) => [merchantId, paymentId, number])

/**
 * Stores whether the provider may know the order of a charge (`opening`) or was told nothing (`planned`), until when the payment
 * waits for it, and when the next question is due. `begunAt`: when the provider is told. A charge may have waited for days, and the
 * provider is asked for an order of that time. The payment's row is locked.
 */
export const moveChargeAttempt = statement(
  'move_charge_attempt',
  `with moved as (
     update world.attempts set state = $4, expires_at = $5, question_due_at = $6, created_at = coalesce($7, created_at)
     where merchant_id = $1 and payment_id = $2 and number = $3 and state in ('planned', 'opening')
     returning merchant_id, payment_id
   ) update world.payments p set expires_at = $5 from moved where p.merchant_id = moved.merchant_id and p.id = moved.payment_id`,
).run(
  (
    { merchantId, paymentId, number }: NamedAttempt,
    to: Pick<Attempt, 'expiresAt' | 'questionDueAt'> &
      ({ state: 'planned' } | { state: 'opening'; begunAt: Date }),
  ) => {
    const begunAt = to.state === 'opening' ? to.begunAt : null
    return [merchantId, paymentId, number, to.state, to.expiresAt, to.questionDueAt, begunAt]
  },
)

/** What the provider reported about an attempt. `from`: the attempt's state when the provider was asked. */
export type AttemptUpdate = { from: AttemptState } & Pick<
  Attempt,
  | 'state'
  | 'authorizedMinor'
  | 'capturedMinor'
  | 'refundedMinor'
  | 'disputedMinor'
  | 'disputeLostMinor'
  | 'facts'
  | 'underWaySince'
>

/**
 * Stores the attempt's state and facts by the provider's answer, unless the payment or the attempt's state has changed since the
 * provider was asked. The sums are those of its entries, and only `payments/entries/record.ts` writes them.
 */
// The payment is locked only where something is to be written. After a wait for the lock its version is compared again.
export const recordAttempt = statement(
  'record_attempt',
  `with asked as (
     select p.merchant_id, p.id from world.payments p join world.attempts a on ${OF_PAYMENT}
     where p.merchant_id = $1 and p.id = $2 and p.version = $7 and a.number = $3 and a.state = $6
       and (a.state, a.facts, a.under_way_since) is distinct from ($4, coalesce($5::jsonb, a.facts), $8::timestamptz)
     for update of p
   ) update world.attempts a set state = $4, facts = coalesce($5::jsonb, facts), under_way_since = $8
     from asked p where ${OF_PAYMENT} and a.number = $3 and a.state = $6`,
).run(
  (
    {
      version,
      attempt: { merchantId, paymentId, number },
    }: Pick<Payment, 'version'> & { attempt: NamedAttempt },
    { from, state, facts, underWaySince }: Pick<AttemptUpdate, 'from' | 'state' | 'facts' | 'underWaySince'>,
  ) => [merchantId, paymentId, number, state, facts && JSON.stringify(facts), from, version, underWaySince],
)

/**
 * Makes the attempt that is under way the payment's own, so that nothing else is opened; without one, the latest. Does nothing to a
 * payment that has money, or that has changed since it was read.
 */
export const chooseOwnAttempt = statement(
  'choose_own_attempt',
  `with own as (
     select coalesce(min(number) filter (where under_way_since is not null), max(number)) as number
     from world.attempts where merchant_id = $1 and payment_id = $2
   ) update world.payments set attempt = own.number from own
     where merchant_id = $1 and id = $2 and version = $3 and authorized_minor = 0 and attempt <> own.number`,
).run(({ merchantId, id, version }: Pick<Payment, 'merchantId' | 'id' | 'version'>) => [
  merchantId,
  id,
  version,
])
