/** Finds attempts: those that are due, the one that a callback names, and those that were declined. */
import { type BudgetedClaim, valuesOfBudget, withBudget } from '../accounts/question-budget.ts'
import { type Queryable, statement } from '../db.ts'
import type { Attempt, NamedAttempt } from './attempt.ts'
import { OPEN_QUESTION, SETTLED_QUESTION } from './due-accounts.ts'
import { type AttemptedPayment, attemptedPayments, COLUMNS, OF_PAYMENT } from './payment.ts'

const claimDue = attemptedPayments(
  'claim_due_attempts',
  `with a as (
     update world.attempts set question_attempts = question_attempts + 1, question_due_at = $3
     where (merchant_id, payment_id, number) in (
       select merchant_id, payment_id, number from world.attempts
       where account_id = $1 and question_due_at <= $2 and ${OPEN_QUESTION}
       order by question_due_at limit $4 for update skip locked)
     returning *
   ) select ${COLUMNS} from a join world.payments p on ${OF_PAYMENT}`,
)
const claimSettled = attemptedPayments(
  'claim_due_settled_attempts',
  `${withBudget(`select merchant_id, payment_id, number from world.attempts
     where account_id = $1 and question_due_at <= $2 and ${SETTLED_QUESTION} order by question_due_at`)}, a as (
     update world.attempts set question_attempts = question_attempts + 1, question_due_at = $3
     where (merchant_id, payment_id, number) in (select * from chosen) returning *
   ) select ${COLUMNS} from a join world.payments p on ${OF_PAYMENT}`,
)

/**
 * Claims up to `limit` attempts that buyers may be paying now, and whose provider is to be asked with the credentials of this account. They are due
 * again at `leaseUntil` unless somebody reschedules them.
 */
export async function claimDueAttempts(
  db: Queryable,
  accountId: string,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<AttemptedPayment[]> {
  return claimDue(db, [accountId, now, leaseUntil, limit])
}

/** Like claimDueAttempts, for attempts whose money has moved and for those that are over. Claims no more than the account's budget of questions allows. */
export async function claimDueSettledAttempts(
  db: Queryable,
  accountId: string,
  due: BudgetedClaim,
): Promise<AttemptedPayment[]> {
  return claimSettled(db, valuesOfBudget(accountId, due))
}

/** Schedules the next question. Does nothing if somebody has scheduled another one since the attempt was read. */
export const updateQuestionDue = statement(
  'reschedule_attempt',
  `update world.attempts set question_due_at = $4
   where merchant_id = $1 and payment_id = $2 and number = $3 and question_due_at = $5`,
).run(
  (
    { merchantId, paymentId, number, questionDueAt }: NamedAttempt & Pick<Attempt, 'questionDueAt'>,
    dueAt: Date | null,
  ) => [merchantId, paymentId, number, dueAt, questionDueAt],
)

/** Returns true for one caller in each interval, who may ask the provider now. */
export const claimProviderQuestion = statement<{ number: number }>(
  'claim_question',
  `update world.attempts set asked_at = $4
   where merchant_id = $1 and payment_id = $2 and number = $3 and (asked_at is null or asked_at <= $5) returning number`,
).some(({ merchantId, paymentId, number }: NamedAttempt, now: Date, unlessSince: Date) => [
  merchantId,
  paymentId,
  number,
  now,
  unlessSince,
])

/** Returns the attempt with this reference at this account, or null if there is none. */
export const findAttemptByReference = statement<NamedAttempt>(
  'find_attempt_by_reference',
  `select merchant_id as "merchantId", payment_id as "paymentId", number from world.attempts
   where account_id = $1 and reference = $2`,
).first((accountId: string, reference: string) => [accountId, reference])

/** Makes the attempt's next question due by `at`, also where no question was to come. */
export const wakeAttempt = statement(
  'wake_attempt',
  `update world.attempts set question_due_at = least(question_due_at, $4)
   where merchant_id = $1 and payment_id = $2 and number = $3`,
).run(({ merchantId, paymentId, number }: NamedAttempt, at: Date) => [merchantId, paymentId, number, at])

/** `order`: names the attempt. */
type DeclinedOrder = { paymentId: string; order: string; begunAt: Date }

export const listDeclinedOrders = statement<DeclinedOrder>(
  'list_declined_orders',
  `select a.payment_id as "paymentId", a.payment_id || ' ' || a.number as "order", a.created_at as "begunAt"
   from world.payments p join world.attempts a on a.merchant_id = p.merchant_id and a.payment_id = p.id
   where p.id = any($1) and a.state = 'declined'`,
).all((paymentIds: readonly string[]) => [paymentIds])
