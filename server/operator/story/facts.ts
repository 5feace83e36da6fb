/** Everything that is stored about a payment, in the order in which it happened: one fact each. */
import type { Context } from '../../context.ts'
import { listAuditAbout } from '../../storage/audit/log.ts'
import { listMails } from '../../storage/mails/mails.ts'
import { listOperationChanges } from '../../storage/payments/operation-changes.ts'
import { getTimeline, type Timeline } from '../payment-timeline.ts'

/** `about`: the id of what the kind names. `by`: the person or the cause. */
export type StoryFact = {
  at: Date
  kind:
    | 'payment'
    | 'attempt'
    | 'request to provider'
    | 'entry'
    | 'operation'
    | 'receipt'
    | 'event'
    | 'delivery'
    | 'mail'
    | 'warning'
    | 'audit'
  about: string | null
  from: string | null
  to: string | null
  by: string | null
  detail: string | null
}

/** More requests, mails and rows of the audit log than this are not read. */
const SOURCE_MAX = 1_000

const fact = (given: Pick<StoryFact, 'at' | 'kind'> & Partial<StoryFact>): StoryFact => ({
  about: null,
  from: null,
  to: null,
  by: null,
  detail: null,
  ...given,
})
const texts = (...parts: (string | number | null)[]) => parts.filter((part) => part !== null).join(' ')

/** Returns the newest `limit` facts, the oldest first. Asks nobody. @throws AppError payment_not_found */
export async function listFacts(ctx: Context, paymentId: string, limit: number): Promise<StoryFact[]> {
  const timeline = await getTimeline(ctx, paymentId, SOURCE_MAX)
  const { merchantId } = timeline.payment
  const ids = [paymentId, ...[...timeline.operations, ...timeline.receipts].map(({ id }) => id)]
  const [mails, audit, operations] = await Promise.all([
    listMails(ctx.db, { paymentId, limit: SOURCE_MAX }),
    listAuditAbout(ctx.db, { merchantId, ids, limit: SOURCE_MAX }),
    Promise.all(timeline.operations.map(({ id }) => listOperationChanges(ctx.db, merchantId, id))),
  ])
  const facts = [
    ...ofPayment(timeline),
    ...ofProvider(timeline),
    ...ofEvents(timeline),
    ...operations.flat().map(({ operationId, fromStatus, toStatus, cause, actor, detail, createdAt }) =>
      fact({
        at: createdAt,
        kind: 'operation',
        about: operationId,
        from: fromStatus,
        to: toStatus,
        by: actor ?? cause,
        detail,
      }),
    ),
    ...mails.flatMap(({ id, kind, state, createdAt, endedAt, failure }) => [
      fact({ at: createdAt, kind: 'mail', about: id, to: 'waiting', detail: kind }),
      ...(endedAt ? [fact({ at: endedAt, kind: 'mail', about: id, to: state, detail: failure })] : []),
    ]),
    ...audit.map(({ at, what, who, before, after }) =>
      fact({ at: new Date(at), kind: 'audit', about: what, from: before, to: after, by: who }),
    ),
  ]
  // Sorting is stable, so facts of one moment keep the order of their sources.
  return facts.sort((one, other) => one.at.getTime() - other.at.getTime()).slice(-limit)
}

function ofPayment({ payment, attempts, changes, receiptChanges, warnings }: Timeline): StoryFact[] {
  return [
    fact({ at: payment.createdAt, kind: 'payment', about: payment.id, to: 'created', by: 'request' }),
    ...attempts.flatMap(({ openedAt, number, reference, provider }) =>
      openedAt
        ? [
            fact({
              at: openedAt,
              kind: 'attempt',
              about: reference,
              to: 'open',
              detail: texts(number, provider),
            }),
          ]
        : [],
    ),
    ...changes.map(({ createdAt, fromStatus, toStatus, cause, actor, detail }) =>
      fact({
        at: createdAt,
        kind: 'payment',
        about: payment.id,
        from: fromStatus,
        to: toStatus,
        by: actor ?? cause,
        detail,
      }),
    ),
    ...receiptChanges.map(({ createdAt, receiptId, fromStatus, toStatus, actor, detail }) =>
      fact({
        at: createdAt,
        kind: 'receipt',
        about: receiptId,
        from: fromStatus,
        to: toStatus,
        by: actor,
        detail,
      }),
    ),
    ...warnings.flatMap(({ createdAt, detail, settledAt, settledBy, settledWhy }) => [
      fact({ at: createdAt, kind: 'warning', by: 'provider', detail }),
      ...(settledAt
        ? [fact({ at: settledAt, kind: 'warning', to: 'settled', by: settledBy, detail: settledWhy })]
        : []),
    ]),
  ]
}

function ofProvider({ exchanges, entries }: Timeline): StoryFact[] {
  return [
    ...exchanges.map(({ createdAt, accountId, method, url, status, failure, durationMs }) =>
      fact({
        at: createdAt,
        kind: 'request to provider',
        about: accountId,
        to: failure ?? texts(status),
        detail: texts(method, url, durationMs, 'ms'),
      }),
    ),
    ...entries.map(({ createdAt, number, kind, amountMinor, currency, proof }) =>
      fact({
        at: createdAt,
        kind: 'entry',
        about: String(number),
        to: kind,
        by: proof,
        detail: texts(amountMinor, currency),
      }),
    ),
  ]
}

function ofEvents({ events }: Timeline): StoryFact[] {
  return events.flatMap(({ id, createdAt, status, deliveries }) => [
    fact({ at: createdAt, kind: 'event', about: id, to: status }),
    ...deliveries.map((each) =>
      fact({
        at: each.createdAt,
        kind: 'delivery',
        about: id,
        to: each.failure ?? texts(each.statusCode),
        detail: texts(each.attempt, each.url, each.durationMs, 'ms'),
      }),
    ),
  ])
}
